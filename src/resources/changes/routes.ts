import { Hono } from 'hono'
import type { AppEnv } from '../../env.ts'
import { requireSomeScope } from '../../middleware/require-scope.ts'
import { query } from '../../middleware/validate.ts'
import { READ_SCOPES } from './asked.ts'
import { answerChanges } from './feed.ts'
import { ChangesQuery } from './schema.ts'

const read = requireSomeScope(Object.values(READ_SCOPES))

export const changes = new Hono<AppEnv>()

changes.get('/', read, query(ChangesQuery), (c) => answerChanges(c, c.req.valid('query')))
