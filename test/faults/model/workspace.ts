import {
  clearable,
  given,
  hasFields,
  isFlag,
  isInteger,
  isName,
  isPause,
  isPolicy,
  optional,
} from './fields.ts'
import { mayChange } from './identifiers.ts'
import { CHANGED, type Made, type Operation, operation, tagged } from './operation.ts'
import { type Json, type State, versionAfter, withVersion } from './state.ts'

/** In its ETag. */
export const WORKSPACE_ID = '00000000'

const told = ({ workspace: { version, ...data } }: State) => ({ data, version, of: WORKSPACE_ID })

export const workspace: Record<string, Operation> = {
  'workspace.get': operation('GET', '/workspace/', 'settings.workspace.read', {
    act: ({ state }) => tagged(200, state, told),
  }),
  'workspace.update': operation('PUT', '/workspace/', 'settings.workspace.write', {
    accepts: hasFields({
      name: optional(isName),
      integration_enabled: optional(isFlag),
      audit_retention_days: optional(isInteger(1, 3650)),
      audit_hot_days: optional(isInteger(1, 3650)),
      undo_days: optional(isInteger(0, 90)),
      waiting_days: optional(isInteger(1, 90)),
      low_stock_quantity: optional(isInteger(1, 100)),
      keep_documents: clearable(isPolicy),
      pause: clearable(isPause),
    }),
    act: (context) => {
      const { state, body, made } = context
      const { version } = state.workspace
      if (!mayChange(context, { id: WORKSPACE_ID, version })) return { ...CHANGED, version }
      const fields = given(body, [
        'name',
        'integration_enabled',
        'audit_retention_days',
        'audit_hot_days',
        'undo_days',
        'waiting_days',
        'low_stock_quantity',
        'keep_documents',
        'pause',
      ])
      const workspace = {
        ...state.workspace,
        ...fields,
        version: versionAfter(state, state.workspace, fields),
      }
      const changed = { ...state, workspace, remembered: rememberedAfter(state, fields, made) }
      const next = Object.keys(fields).length === 0 ? state : withVersion(changed, 1)
      return tagged(200, next, told)
    },
  }),
}

/** What came in before a time without remembering is forgotten with it. */
function rememberedAfter({ workspace, remembered }: State, fields: Json, made: Made) {
  const isSame = fields.undo_days === undefined && fields.audit_retention_days === undefined
  if (isSame || workspace.undo_days > 0) return remembered
  const { request, until = Number.POSITIVE_INFINITY } = made
  return [Date.parse(request?.created_at ?? ''), until] as const
}
