import { Hono } from 'hono'
import { okSetting } from '../../engine/answers/record.ts'
import type { AppEnv } from '../../engine/env.ts'
import { keepable } from '../../engine/redaction/policy.ts'
import { ifMatch, ifNoneMatch } from '../../middleware/conditions.ts'
import { requireScope } from '../../middleware/require-scope.ts'
import { body } from '../../middleware/validate.ts'
import { versionsAsked } from '../versions.ts'
import { findWorkspace, updateWorkspace, WORKSPACE_ID } from './queries.ts'
import { Workspace } from './schema.ts'

const read = requireScope('settings.workspace.read')
const write = requireScope('settings.workspace.write')

export const workspaceRoutes = new Hono<AppEnv>()

workspaceRoutes.get('/', read, ifNoneMatch, async (c) =>
  okSetting(c, WORKSPACE_ID, await findWorkspace(c.get('db'))),
)

workspaceRoutes.put('/', write, ifMatch, body(Workspace.Update), async (c) => {
  const input = keepable(c.env, c.req.valid('json'))
  const versions = versionsAsked(c, WORKSPACE_ID)
  return okSetting(c, WORKSPACE_ID, await updateWorkspace(c.get('db'), input, versions))
})
