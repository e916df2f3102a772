import { ANYTHING } from './matching.ts'
import { type Context, INVALID, isDone, type Outcome, page } from './operation.ts'
import { isForgotten } from './replaced.ts'
import type { Json, Request } from './state.ts'

/** What uploads and undos have made of the stock at a location, or of a SKU. */
export function historyOf(context: Context): Outcome {
  const { state, at, query } = context
  const { by = 'location' } = query
  if (!['location', 'sku'].includes(by)) return INVALID
  const field = by === 'sku' ? 'sku_code' : 'location_code'
  const ages = [...state.requests.values()].map((one) => [isForgotten(state, one), one] as const)
  const known = ages.flatMap(([forgotten, one]) => (forgotten === true ? [] : [one]))
  const rows = known.flatMap((one) => rowsOf(context, one).filter((row) => row[field] === at))
  const named = rows.map((row) => [nameOf(row), row] as [string, Json])
  const outcome = page(context, named, `history by ${by} of ${at}`, (row) => row)
  if (!isDone(outcome)) return outcome
  const isUnsure = ages.some(([forgotten]) => forgotten === 'unsure')
  return {
    ...outcome,
    told: (later) => {
      const { data, pagination } = outcome.told(later)
      if (isUnsure || !pagination) return { data: ANYTHING, pagination: ANYTHING as never }
      return { data, pagination: { ...pagination, complete_since: ANYTHING } }
    },
  }
}

const nameOf = ({ request_id, location_code, sku_code }: Json) =>
  `${request_id} ${location_code} ${sku_code}`

/** Last first. A key of a partner learns the names of itself and of its partner. */
function rowsOf({ key, partner }: Context, request: Request): Json[] {
  const { replaced, created_at: changed_at, request_id, source } = request
  if (replaced?.resource !== 'inventory') return []
  const isOwnKey = !partner || request.api_key.id === key.id
  const isOwnPartner = !partner || request.partner?.id === partner.id
  const api_key = isOwnKey ? request.api_key : null
  const notes = isOwnPartner ? request.notes : null
  const by = { source, notes, api_key, partner: isOwnPartner ? request.partner : null }
  const [changed, created] = replaced.slices
  const pairs = [...changed.toReversed(), ...created.toReversed()]
  return pairs.map((pair) => ({ ...pair, changed_at, request_id, ...by }))
}
