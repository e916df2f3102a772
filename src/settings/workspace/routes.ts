import { Hono } from 'hono'
import { ok } from '../../engine/answers/envelope.ts'
import type { AppEnv } from '../../engine/env.ts'
import { keepable } from '../../engine/redaction/policy.ts'
import { requireScope } from '../../middleware/require-scope.ts'
import { body } from '../../middleware/validate.ts'
import { findWorkspace, updateWorkspace } from './queries.ts'
import { Workspace } from './schema.ts'

const read = requireScope('settings.workspace.read')
const write = requireScope('settings.workspace.write')

export const workspaceRoutes = new Hono<AppEnv>()

workspaceRoutes.get('/', read, async (c) => ok(c, await findWorkspace(c.get('db'))))

workspaceRoutes.put('/', write, body(Workspace.Update), async (c) =>
  ok(c, await updateWorkspace(c.get('db'), keepable(c.env, c.req.valid('json')))),
)
