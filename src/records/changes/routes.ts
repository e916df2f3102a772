import { Hono } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import { primaryReads } from '../../middleware/near-reads.ts'
import { requireSomeScope } from '../../middleware/require-scope.ts'
import { query } from '../../middleware/validate.ts'
import { READ_SCOPES } from './asked.ts'
import { answerChanges } from './feed.ts'
import { ChangesQuery } from './schema.ts'

const read = requireSomeScope(Object.values(READ_SCOPES))

export const changesRoutes = new Hono<AppEnv>()

// A copy of the database lags, and a change must not come late behind a later cursor.
changesRoutes.use(primaryReads)

changesRoutes.get('/', read, query(ChangesQuery), (c) => answerChanges(c, c.req.valid('query')))
