import type { Document, Event } from './actions.ts'

// What a shop with one webhook should find, in a few lines, and without the code of the service.

export interface Sent {
  event: Event
  document: Document
  /** In ISO 8601, of a document that has one. */
  modified: string | null
  /** When it came first. */
  arrived: string
}

export interface State {
  isOn: boolean
  products: ReadonlySet<string>
  orders: ReadonlyMap<string, { customer: string; isCancelled: boolean }>
  /** How new the document is that was applied last, or that had nothing to apply to. */
  newest: ReadonlyMap<string, Age>
  /** By the id of the delivery. */
  waiting: ReadonlyMap<string, Sent>
}

/** Of two with the same time the later arrival is newer. A deletion has no time, so that of its arrival counts. */
interface Age {
  at: string
  isDeletion: boolean
}

const ageOf = ({ modified, arrived }: Sent): Age => ({
  at: modified === null ? arrived : `${modified} ${arrived}`,
  isDeletion: modified === null,
})

/** A deletion is always newer, but than another deletion that came after it. */
export function isStale(state: State, sent: Sent): boolean {
  const before = state.newest.get(sent.document.order)
  const own = ageOf(sent)
  if (!before || (own.isDeletion && !before.isDeletion)) return false
  return own.at < before.at
}

const isSkipped = ({ event, document }: Sent) =>
  event === 'refund.created' || (event !== 'order.deleted' && document.status === 'draft')
const cancels = ({ event, document }: Sent) =>
  event === 'order.deleted' || document.status === 'cancelled'

/** What may become of it in this state. */
export function outcomesOf(state: State, sent: Sent): string[] {
  const { document } = sent
  const order = state.orders.get(document.order)
  if (!state.isOn) return ['waiting']
  if (isSkipped(sent)) return ['skipped']
  if (cancels(sent)) {
    if (isStale(state, sent)) return ['stale']
    if (!order) return ['skipped']
    return [order.isCancelled ? 'unchanged' : 'cancelled']
  }
  if (document.isBroken) return ['waiting']
  const isMissing = !order && !state.products.has(document.sku)
  if (isStale(state, sent)) return isMissing ? ['stale', 'waiting'] : ['stale']
  if (isMissing) return ['waiting']
  if (!order) return ['created']
  return [order.customer === document.customer ? 'unchanged' : 'updated']
}

/** The state after it has come to this. */
export function after(state: State, id: string, sent: Sent, outcome: string): State {
  const waiting = new Map(state.waiting)
  if (outcome === 'waiting') return { ...state, waiting: waiting.set(id, sent) }
  waiting.delete(id)
  if (isSkipped(sent) || outcome === 'stale') return { ...state, waiting }
  const { order, customer } = sent.document
  const newest = new Map(state.newest).set(order, ageOf(sent))
  const before = state.orders.get(order)
  const orders = new Map(state.orders)
  if (outcome === 'cancelled' && before) orders.set(order, { ...before, isCancelled: true })
  if (outcome === 'created') orders.set(order, { customer, isCancelled: false })
  if (outcome === 'updated' && before) orders.set(order, { ...before, customer })
  return { ...state, waiting, newest, orders }
}

/** Whether it may end because of what was applied: something newer of the record was, or it came before a deletion. */
export function maySupersede(state: State, sent: Sent): boolean {
  const newest = state.newest.get(sent.document.order)
  if (!newest) return false
  return newest.isDeletion ? sent.arrived < newest.at : ageOf(sent).at < newest.at
}
