import { Hono } from 'hono'
import { ok } from '../../engine/answers/envelope.ts'
import { pageOfAll } from '../../engine/answers/list.ts'
import type { AppEnv } from '../../engine/env.ts'
import { PageQuery } from '../../engine/json/pagination.ts'
import { requireScope } from '../../middleware/require-scope.ts'
import { query } from '../../middleware/validate.ts'
import { findStarter, listStarters } from './starters.ts'

const STARTERS = 'mapping-starters'
const read = requireScope('settings.partners.read')

/** Starters are part of the build. The database only confirms that the key may read them. */
export const mappingStartersRoutes = new Hono<AppEnv>()

mappingStartersRoutes.get('/', read, query(PageQuery(STARTERS)), async (c) => {
  await c.get('db').confirm()
  const starters = (await listStarters(c.env)).map((starter, at, { length }) => {
    return { seq: length - at, ...starter }
  })
  return await pageOfAll(c, STARTERS, starters, c.req.valid('query'))
})

mappingStartersRoutes.get('/:name/', read, async (c) => {
  const starter = await findStarter(c.env, c.req.param('name'))
  await c.get('db').confirm()
  return ok(c, starter)
})
