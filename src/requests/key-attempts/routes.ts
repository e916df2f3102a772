import { Hono } from 'hono'
import { pageOfAll } from '../../engine/answers/list.ts'
import type { AppEnv } from '../../engine/env.ts'
import { requireScope } from '../../middleware/require-scope.ts'
import { query } from '../../middleware/validate.ts'
import { listKeyAttempts, numbered } from './queries.ts'
import { KEY_ATTEMPTS, KeyAttemptsQuery } from './schema.ts'

export const keyAttemptsRoutes = new Hono<AppEnv>()

keyAttemptsRoutes.get(
  '/',
  requireScope('settings.audit.read'),
  query(KeyAttemptsQuery),
  async (c) => {
    const { reason, ...paging } = c.req.valid('query')
    const rows = numbered(await listKeyAttempts(c.get('db'), { reason }))
    return await pageOfAll(c, KEY_ATTEMPTS, rows, paging, { reason })
  },
)
