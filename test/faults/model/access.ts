import { isObject } from './fields.ts'
import { stateOf } from './keys.ts'
import { mapped, outward } from './mapping.ts'
import { Chosen } from './matching.ts'
import {
  type Context,
  INVALID,
  isDone,
  type Operation,
  type Outcome,
  refused,
  SCOPE_MISSING,
} from './operation.ts'
import { livePartner } from './partners.ts'
import { remembering } from './replaced.ts'
import { coverAll } from './scopes.ts'
import type { Key, Mapping, State } from './state.ts'

/** A condition without a tag. */
export const NO_TAG = '7'

/** It is the same for the same outbound mapping. */
const shapeOf = (mapping: Mapping | undefined, data: unknown) =>
  new Chosen(`shape of ${JSON.stringify(mapping?.outbound ?? null)} ${markOf(data)}`)

/** What the clock changes, and the version does not tell: of settings records alone. */
function markOf(data: unknown): string {
  if (!isObject(data) || !('pause' in data)) return ''
  return `${data.pause !== null} ${data.status === 'expired'}`
}

/** A request as it was sent. */
export interface Sent extends Pick<Context, 'at' | 'query' | 'condition'> {
  operation: Operation
  /** Of the key that it was sent with. */
  key_id: string
  body: unknown
  isDryRun: boolean
}

/** No pause of the generated ones ends in this century. */
function isPaused(state: State, key: Key): boolean {
  const partner = livePartner(state, key.partner_id)
  return [state.workspace, partner, key].some((one) => (one?.pause ?? null) !== null)
}

/** What the request is answered in this state, from its key to its record. */
export function answerTo(sent: Sent, state: State, made: Context['made']): Outcome {
  const { operation, at, query, condition } = sent
  const key = state.keys.get(sent.key_id)
  if (!key || stateOf(key) === 'revoked') return refused(401, 'KEY_INVALID')
  if (stateOf(key) === 'expired') return refused(401, 'KEY_EXPIRED')
  const isIntegration = operation.scope.startsWith('integrations.')
  if (isIntegration && !state.workspace.integration_enabled)
    return refused(403, 'WORKSPACE_DISABLED')
  if (isIntegration && isPaused(state, key)) return refused(503, 'UNAVAILABLE')
  if (!coverAll(key.scopes, [operation.scope])) return SCOPE_MISSING
  if (condition === NO_TAG) return INVALID
  const partner = livePartner(state, key.partner_id)
  const mapping = partner ? state.mappings.get(`${partner.id} ${operation.maps}`) : undefined
  const body = sent.body === undefined ? {} : sent.body
  if (!isObject(body)) return INVALID
  const isMapped = operation.accepts !== undefined && ['POST', 'PUT'].includes(operation.method)
  const ours = isMapped && mapping?.inbound ? mapped(mapping.inbound, body) : body
  if (ours === null) return refused(422, 'MAPPING_ERROR')
  if (operation.accepts && !operation.accepts(ours)) return INVALID
  const outcome = remembering(
    state,
    made,
    operation.act({
      state,
      key,
      partner,
      at,
      body: ours,
      query,
      condition,
      made,
      isWrite: operation.isWrite,
    }),
  )
  if (!isDone(outcome) || outcome.upload) return outcome
  const { told } = outcome
  return {
    ...outcome,
    told: (later) => {
      const { version, data, of: named, ...others } = told(later)
      const of = (named ?? (isObject(data) ? String(data.id) : '')).slice(0, 8)
      const etag =
        version === undefined ? {} : { etag: { version, of, shape: shapeOf(mapping, data) } }
      return { ...others, ...etag, data: outward(mapping, data) }
    },
  }
}
