import { Hono } from 'hono'
import { ok } from '../engine/answers/envelope.ts'
import { pageOfAll } from '../engine/answers/list.ts'
import type { AppEnv } from '../engine/env.ts'
import type { Scope } from '../engine/identity/scopes.ts'
import { PageQuery } from '../engine/json/pagination.ts'
import { requireScope } from '../middleware/require-scope.ts'
import { query } from '../middleware/validate.ts'
import type { Shipped } from './shipped.ts'

/** A list and a look-up of what is part of the build. The database only confirms that the key may read it. */
export function shippedRoutes(
  { folder, list, find }: Shipped<{ name: string }>,
  scope: Scope,
): Hono<AppEnv> {
  const read = requireScope(scope)
  const routes = new Hono<AppEnv>()

  routes.get('/', read, query(PageQuery(folder)), async (c) => {
    await c.get('db').confirm()
    const entries = (await list(c.env)).map((entry, at, { length }) => {
      return { seq: length - at, ...entry }
    })
    return await pageOfAll(c, folder, entries, c.req.valid('query'))
  })

  routes.get('/:name/', read, async (c) => {
    const entry = await find(c.env, c.req.param('name'))
    await c.get('db').confirm()
    return ok(c, entry)
  })

  return routes
}
