import { exampleOf } from '../../engine/model/record.ts'
import { Workspace } from '../../settings/workspace/schema.ts'
import { named } from '../components.ts'
import { endpoints } from '../endpoint.ts'
import { wrong } from '../errors.ts'

named('UpdateWorkspace', Workspace.Update)
named('Workspace', Workspace.Shown)

const WORKSPACE = Workspace.Shown.parse(exampleOf(Workspace))

export const workspaceReference = endpoints('settings', 'Workspace', {
  'GET /workspace/': {
    operationId: 'findWorkspace',
    summary: 'Retrieve the workspace',
    description:
      'Returns the name, whether the integrations API is switched on, how long the audit log is kept and requests can be undone, and what is kept of documents of keys without a partner.',
    answer: { description: 'The workspace.', data: Workspace.Shown, example: WORKSPACE },
  },
  'PUT /workspace/': {
    operationId: 'updateWorkspace',
    summary: 'Update the workspace',
    description:
      'Replaces the given fields. `integration_enabled` false closes `/api/integrations/` to every key from the next request on; the settings stay open. Fewer `audit_retention_days` delete the older rows of the audit log for good, within about a day. Fewer `audit_hot_days` move rows to the archive, and more do not bring them back. Fewer `undo_days` delete what requests replaced, which is not offered any longer from the next request on. You can repeat this request.',
    body: { example: { integration_enabled: true } },
    answer: { description: 'The updated workspace.', data: Workspace.Shown, example: WORKSPACE },
    errors: {
      VALIDATION_ERROR: wrong('integration_enabled', 'Must be a boolean, not a string.'),
    },
  },
})
