import { Hono } from 'hono'
import * as z from 'zod'
import { ok } from '../../engine/answers/envelope.ts'
import type { AppEnv } from '../../engine/env.ts'
import { requireScope } from '../../middleware/require-scope.ts'
import { query } from '../../middleware/validate.ts'
import { sightOf } from './access.ts'
import { checkUp } from './check-up.ts'

const NoParameters = z.object({})

export const checkUpRoutes = new Hono<AppEnv>()

// What it tells is in the log: a key that reads partners alone does not see requests.
checkUpRoutes.get('/', requireScope('settings.audit.read'), query(NoParameters), async (c) => {
  const id = c.req.param('id') as string
  const { findings, warnings } = await checkUp(c.get('db'), id, sightOf(c))
  const shown = findings.map(({ about, ...finding }) => finding)
  return ok(c, shown, warnings)
})
