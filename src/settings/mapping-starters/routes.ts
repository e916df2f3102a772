import { Hono } from 'hono'
import { ok } from '../../answers/envelope.ts'
import type { AppEnv } from '../../env.ts'
import { requireScope } from '../../middleware/require-scope.ts'
import { findStarter, listStarters } from './starters.ts'

const read = requireScope('settings.partners.read')

/** Starters are part of the build. The database only confirms that the key may read them. */
export const mappingStarters = new Hono<AppEnv>()

mappingStarters.get('/', read, async (c) => {
  await c.get('db').confirm()
  return ok(c, await listStarters(c.env))
})

mappingStarters.get('/:name/', read, async (c) => {
  const starter = await findStarter(c.env, c.req.param('name'))
  await c.get('db').confirm()
  return ok(c, starter)
})
