import * as z from 'zod'
import { UpdateWorkspace } from '../../settings/workspace/schema.ts'
import { named } from '../components.ts'
import { type Endpoint, endpoint, type Telling } from '../endpoint.ts'
import { wrong } from '../errors.ts'

named('UpdateWorkspace', UpdateWorkspace)

const WorkspaceRecord = named(
  'Workspace',
  z.object({
    name: z.string(),
    tenant: z.string(),
    integration_enabled: z.boolean(),
    audit_retention_days: z.int().min(1),
    settings_version: z.int(),
  }),
)

const WORKSPACE = {
  name: 'Harbour warehouse',
  tenant: 'demo',
  integration_enabled: true,
  audit_retention_days: 365,
  settings_version: 12,
}

export const workspace: Endpoint[] = [
  setting({
    method: 'get',
    path: '/workspace/',
    operationId: 'findWorkspace',
    scope: 'settings.read',
    summary: 'Find the workspace',
    description:
      'Its name, whether the integrations API is switched on, and how long the audit log is kept.',
    answer: { description: 'The workspace.', data: WorkspaceRecord, example: WORKSPACE },
  }),
  setting({
    method: 'put',
    path: '/workspace/',
    operationId: 'updateWorkspace',
    scope: 'settings.write',
    summary: 'Update the workspace',
    description:
      'Replaces the fields that are given. `integration_enabled` false closes `/api/integrations/` to every key, from the very next request on; the settings stay open. With fewer `audit_retention_days` the older rows of the audit log are deleted for good within a day or so. Safe to repeat.',
    body: { schema: UpdateWorkspace, isOptional: true, example: { integration_enabled: true } },
    answer: { description: 'The workspace, updated.', data: WorkspaceRecord, example: WORKSPACE },
    refuses: {
      VALIDATION_ERROR: wrong('integration_enabled', 'Must be a boolean, not a string.'),
    },
  }),
]

function setting<Body extends z.ZodType, Data extends z.ZodType>(telling: Telling<Body, Data>) {
  return endpoint('settings', 'Workspace', telling)
}
