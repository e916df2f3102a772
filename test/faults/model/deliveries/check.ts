import { type Json, openTenant } from '../../../fixtures/tenant.ts'
import { after, isStale, maySupersede, outcomesOf, type Sent, type State } from './course.ts'
import type { Play, Told } from './play.ts'

// As in witness.ts: rows of the audit log commit with what they tell, so the model does what they say in their order. Each must
// be right there, and in the end the database holds exactly what the model does.

type Row = Json

const FAILURES = [500, 503]

/** Throws what contradicts the model. */
export async function check(play: Play): Promise<State> {
  const { shop, db, names, steps } = play
  const first = steps[0] ?? 0
  const { results: rows } = await db
    .prepare('select * from audit_log where seq > ? order by seq')
    .bind(first)
    .all<Row>()
  checkAnswers(play, rows)
  let state: State = {
    isOn: true,
    products: new Set(['S-1']),
    orders: new Map(),
    newest: new Map(),
    waiting: new Map(),
  }
  const nameOf = new Map(Object.entries(names).map(([name, value]) => [value, name]))
  const settle = (before: State, row: Row) => {
    const isOn = play.switched.get(row.request_id)
    return isOn === undefined ? settled(before, row, nameOf) : { ...before, isOn }
  }
  let step = 1
  let states = [state]
  const haveWaited = new Set<unknown>()
  for (const row of rows) {
    while (row.seq > (steps[step] ?? Number.POSITIVE_INFINITY)) {
      step += 1
      states = [state]
    }
    // The Durable Object also tries by itself. Of two tries at once, one finds that the other has ended the waiting,
    // and its row may come a step later.
    if (
      row.outcome === 'skipped' &&
      haveWaited.has(row.replay_of) &&
      !state.waiting.has(row.replay_of)
    )
      continue
    if (row.api_key_id === shop.id) state = delivered(play, state, states, row)
    else state = settle(state, row)
    for (const id of state.waiting.keys()) haveWaited.add(id)
    states.push(state)
  }
  await checkContents(play, state)
  return state
}

/** What a product, the switch or a person has changed. */
function settled(state: State, row: Row, nameOf: Map<string, string>): State {
  if (row.status >= 300) return state
  const [, dismissed] = /\/deliveries\/([^/]+)\/dismiss\/$/.exec(row.path) ?? []
  if (dismissed !== undefined) {
    const waiting = new Map(state.waiting)
    if (!waiting.delete(dismissed)) throw new Error(`${dismissed} was dismissed, and did not wait.`)
    return { ...state, waiting }
  }
  if (row.method === 'POST' && row.path.endsWith('/products/')) {
    return { ...state, products: new Set([...state.products, nameOf.get(row.record_name) ?? '']) }
  }
  if (row.method === 'PUT' && row.path.endsWith('/workspace/'))
    return { ...state, isOn: !state.isOn }
  return state
}

/** A delivery or a try. What was refused before it could wait may have been refused by any state of its step. */
function delivered({ told }: Play, state: State, states: State[], row: Row): State {
  if (row.outcome === null) return state
  const id = row.replay_of ?? row.request_id
  const sent = told.get(id)?.sent
  if (!sent) throw new Error(`A row of no delivery: ${JSON.stringify(row)}`)
  if (row.replay_of === null) sent.arrived = row.created_at
  const waits = state.waiting.has(id)
  if (row.replay_of !== null && !waits) throw fault(row, sent, 'it did not wait')
  const outcome = row.status >= 400 ? 'waiting' : row.outcome
  const isLoose = outcome === 'waiting' || outcome === 'skipped'
  const allowed = isLoose
    ? [...states, state].flatMap((each) => outcomesOf(each, sent))
    : outcomesOf(state, sent)
  // After trouble a try waits on.
  if (row.replay_of !== null && row.status >= 500) allowed.push('waiting')
  if (!allowed.includes(outcome)) throw fault(row, sent, `by the model it is ${allowed}`)
  return after(state, id, sent, outcome)
}

function fault({ request_id, outcome, status, replay_of }: Row, sent: Sent, why: string): Error {
  const what = JSON.stringify({ request_id, replay_of, outcome, status, ...sent })
  return new Error(`${what}\n  ${why}.`)
}

/** 200 is what the row says, and nothing else is said but that it is to be sent again. */
function checkAnswers({ told }: Play, rows: Row[]): void {
  const byId = Map.groupBy(rows, ({ request_id }) => request_id)
  for (const [id, { answer, sent }] of told) {
    const [row, ...more] = byId.get(id) ?? []
    if (more.length > 0) throw new Error(`${id} has several rows.`)
    if (FAILURES.includes(answer.status)) continue
    if (answer.status !== 200) throw new Error(`${JSON.stringify(sent)} is ${answer.text}`)
    const outcome = answer.body.data.outcome
    const isSame = row && (row.outcome === outcome || (outcome === 'waiting' && row.status >= 400))
    // The row of what changes nothing is stored after the answer, and its faults may hit that.
    const isLost = !row && ['skipped', 'stale'].includes(outcome)
    if (!isSame && !isLost) throw fault(row ?? {}, sent, `was told ${outcome}`)
  }
}

/** The database holds what the model does. */
async function checkContents({ shop, names, told }: Play, state: State): Promise<void> {
  const db = await openTenant()
  for (const order of ['A', 'B']) {
    const { status, body } = await shop.partner.api.get(`/orders/${names[order]}/`)
    const { customer_name: customer, status: is } = body.data ?? {}
    const found = status === 404 ? undefined : { customer, isCancelled: is === 'cancelled' }
    const expected = state.orders.get(order)
    if (JSON.stringify(found) !== JSON.stringify(expected)) {
      throw new Error(`${order} is ${JSON.stringify(found)}, not ${JSON.stringify(expected)}.`)
    }
  }
  const { results } = await db
    .prepare('select delivery_id from waiting_deliveries where api_key_id = ?')
    .bind(shop.id)
    .all<Json>()
  const left = new Set(results.map(({ delivery_id }) => delivery_id))
  for (const id of left) {
    if (!state.waiting.has(id)) throw new Error(`${id} waits, and has ended.`)
  }
  for (const [id, sent] of state.waiting) {
    if (!left.has(id) && !maySupersede(state, sent)) throw lost(id, told.get(id))
    if (left.has(id) && canBeApplied(state, sent)) throw new Error(`${id} waits for nothing.`)
  }
}

const canBeApplied = (state: State, sent: Sent) =>
  !isStale(state, sent) && !outcomesOf(state, sent).includes('waiting')

const lost = (id: string, told?: Told) =>
  new Error(`${id} is lost: ${JSON.stringify(told?.sent)} was answered ${told?.answer.text}`)
