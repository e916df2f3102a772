import { isDone, type Made, type Outcome } from './operation.ts'
import type { Location, Order, Product, Replaced, Request, State } from './state.ts'

// What writes have replaced, and for how long it is remembered.

type Changed = Exclude<Replaced, { resource: 'inventory' }>

/** What a PUT has replaced: some of these fields, which it gave. */
export function replacedBy<Record extends Order | Product | Location>(
  resource: Changed['resource'],
  name: string,
  before: Record,
  after: Record,
  names: string[],
  given: object,
): Replaced | null {
  if (before === after) return null
  const fields = names.filter((field) => field in given)
  return { resource, name, fields, before, after }
}

/** The same, with the request among those that happened. */
export function remembering(before: State, { request }: Made, outcome: Outcome): Outcome {
  if (!isDone(outcome) || !request) return outcome
  const isRemembered = before.workspace.undo_days > 0
  const replaced = isRemembered && hasReplaced(outcome.replaced) ? outcome.replaced : null
  const requests = new Map(outcome.state.requests)
  const { source = null, notes = null } = outcome.upload ?? {}
  requests.set(request.request_id, { ...request, replaced, source, notes })
  return { ...outcome, state: { ...outcome.state, requests } }
}

function hasReplaced(replaced: Replaced | null | undefined): replaced is Replaced {
  if (!replaced) return false
  return replaced.resource !== 'inventory' || replaced.slices.flat().length > 0
}

/** Whether what it replaced is known no longer; `unsure` if it came in while remembering began. */
export function isForgotten({ workspace, remembered }: State, { created_at }: Request) {
  if (workspace.undo_days === 0) return true
  const [earliest, latest] = remembered
  const asked = Date.parse(created_at)
  if (asked < earliest) return true
  return asked <= latest ? 'unsure' : false
}
