import * as z from 'zod'
import { UpdateWorkspace } from '../../settings/workspace/schema.ts'
import { named } from '../components.ts'
import { type Endpoint, type EndpointSpec, endpoint } from '../endpoint.ts'
import { wrong } from '../errors.ts'
import { DocumentPolicy } from '../fields.ts'

named('UpdateWorkspace', UpdateWorkspace)

const WorkspaceRecord = named(
  'Workspace',
  z.object({
    name: z.string(),
    tenant: z.string(),
    integration_enabled: z.boolean(),
    audit_retention_days: z.int().min(1),
    audit_hot_days: z.int().min(1),
    undo_days: z.int().min(0),
    keep_documents: DocumentPolicy.nullable(),
    settings_version: z.int(),
  }),
)

const WORKSPACE = {
  name: 'Harbour warehouse',
  tenant: 'demo',
  integration_enabled: true,
  audit_retention_days: 365,
  audit_hot_days: 30,
  undo_days: 7,
  keep_documents: null,
  settings_version: 12,
}

export const workspace: Endpoint[] = [
  setting({
    method: 'get',
    path: '/workspace/',
    operationId: 'findWorkspace',
    summary: 'Retrieve the workspace',
    description:
      'Returns the name, whether the integrations API is switched on, how long the audit log is kept and requests can be undone, and what is kept of documents of keys without a partner.',
    answer: { description: 'The workspace.', data: WorkspaceRecord, example: WORKSPACE },
  }),
  setting({
    method: 'put',
    path: '/workspace/',
    operationId: 'updateWorkspace',
    summary: 'Update the workspace',
    description:
      'Replaces the given fields. `integration_enabled` false closes `/api/integrations/` to every key from the next request on; the settings stay open. Fewer `audit_retention_days` delete the older rows of the audit log for good, within about a day. Fewer `audit_hot_days` move rows to the archive, and more do not bring them back. Fewer `undo_days` delete what requests replaced, which is not offered any longer from the next request on. You can repeat this request.',
    body: { schema: UpdateWorkspace, isOptional: true, example: { integration_enabled: true } },
    answer: { description: 'The updated workspace.', data: WorkspaceRecord, example: WORKSPACE },
    errors: {
      VALIDATION_ERROR: wrong('integration_enabled', 'Must be a boolean, not a string.'),
    },
  }),
]

function setting<Body extends z.ZodType, Data extends z.ZodType>(spec: EndpointSpec<Body, Data>) {
  return endpoint('settings', 'Workspace', spec)
}
