import { Hono } from 'hono'
import type { AppEnv } from '../../env.ts'
import { ok } from '../../envelope.ts'
import { requireScope } from '../../middleware/require-scope.ts'
import { body } from '../../middleware/validate.ts'
import { findWorkspace, updateWorkspace } from './queries.ts'
import { UpdateWorkspace } from './schema.ts'

const read = requireScope('settings.read')
const write = requireScope('settings.write')

export const workspace = new Hono<AppEnv>()

workspace.get('/', read, async (c) => ok(c, await findWorkspace(c.get('db'))))

workspace.put('/', write, body(UpdateWorkspace), async (c) =>
  ok(c, await updateWorkspace(c.get('db'), c.req.valid('json'))),
)
