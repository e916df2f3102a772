import {
  clearable,
  given,
  hasFields,
  isFlag,
  isInteger,
  isName,
  isPolicy,
  optional,
} from './fields.ts'
import { type Operation, shown, written } from './operation.ts'
import { withVersion } from './state.ts'

export const workspace: Record<string, Operation> = {
  'workspace.get': {
    method: 'GET',
    path: '/workspace/',
    scope: 'settings.workspace.read',
    isWrite: false,
    act: ({ state }) => shown(state, state.workspace),
  },
  'workspace.update': {
    method: 'PUT',
    path: '/workspace/',
    scope: 'settings.workspace.write',
    isWrite: true,
    accepts: hasFields({
      name: optional(isName),
      integration_enabled: optional(isFlag),
      audit_retention_days: optional(isInteger(1, 3650)),
      undo_days: optional(isInteger(0, 90)),
      keep_documents: clearable(isPolicy),
    }),
    act: ({ state, body }) => {
      const fields = given(body, [
        'name',
        'integration_enabled',
        'audit_retention_days',
        'undo_days',
        'keep_documents',
      ])
      const changed = { ...state, workspace: { ...state.workspace, ...fields } }
      const next = Object.keys(fields).length === 0 ? state : withVersion(changed, 1)
      return written(200, next, (later) => later.workspace)
    },
  },
}
