import { Hono } from 'hono'
import { ok } from '../../answers/envelope.ts'
import type { AppEnv } from '../../env.ts'
import { requireScope } from '../../middleware/require-scope.ts'
import { query } from '../../middleware/validate.ts'
import { listKeyAttempts } from './queries.ts'
import { KeyAttemptsQuery } from './schema.ts'

export const keyAttempts = new Hono<AppEnv>()

keyAttempts.get('/', requireScope('settings.audit.read'), query(KeyAttemptsQuery), async (c) =>
  ok(c, await listKeyAttempts(c.get('db'), c.req.valid('query'))),
)
