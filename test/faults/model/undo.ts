import { hasFields } from './fields.ts'
import { ANYTHING } from './matching.ts'
import {
  BROKEN_RULE,
  CHANGED,
  type Context,
  type Done,
  instantOf,
  isDone,
  isRefused,
  NOT_FOUND,
  type Operation,
  operation,
  page,
  type Refused,
  SCOPE_MISSING,
  written,
} from './operation.ts'
import { isForgotten } from './replaced.ts'
import { coverAll } from './scopes.ts'
import {
  type Json,
  type Order,
  type Replaced,
  type ReplacedPair,
  type Request,
  type State,
  withRecord,
} from './state.ts'

const FINAL = ['shipped', 'cancelled']

export const undo: Record<string, Operation> = {
  'audit-log.changes': operation('GET', '/audit-log/:at/changes/', 'settings.audit.read', {
    act: changes,
  }),
  'audit-log.undo': operation('POST', '/audit-log/:at/undo/', 'settings.audit.read', {
    accepts: hasFields({}),
    act: takeBack,
  }),
}

/** What did nothing may have a row by now or not. */
function visible(context: Context, action: 'read' | 'write', ofNone: number): Request | Refused {
  const { state, key, at, made } = context
  const request = state.requests.get(at)
  if (!request) return made.status === ofNone ? BROKEN_RULE : NOT_FOUND
  const { replaced } = request
  if (!replaced) return request
  const isOfOther =
    replaced.resource === 'orders' && (replaced.after as Order).partner_id !== key.partner_id
  if (key.own_orders_only && isOfOther) return NOT_FOUND
  return coverAll(key.scopes, [`integrations.${replaced.resource}.${action}`])
    ? request
    : SCOPE_MISSING
}

function changes(context: Context) {
  const { state, at } = context
  const request = visible(context, 'read', 200)
  const forgotten = isRefused(request) || isForgotten(state, request)
  const rows = isRefused(request) || forgotten === true ? [] : changesOf(request.replaced)
  const newestLast = rows.reverse().map((row) => [nameOf(row), row] as [string, Json])
  const outcome = page(context, newestLast, `changes of ${at}`, (row) => row)
  if (!isDone(outcome) || request === BROKEN_RULE) return outcome
  if (isRefused(request)) return request
  const unknown = () => ({ data: ANYTHING, pagination: ANYTHING as never })
  return forgotten === 'unsure' ? { ...outcome, told: unknown } : outcome
}

const nameOf = ({ location_code, sku_code, field }: Json) => `${location_code} ${sku_code} ${field}`

function changesOf(replaced: Replaced | null): Json[] {
  if (!replaced) return []
  const { resource } = replaced
  if (resource === 'inventory') {
    const pair = { resource, record_name: null, field: 'quantity' }
    return replaced.slices.flat().map((one) => ({ ...pair, ...one }))
  }
  const { name: record_name, fields, before, after } = replaced
  const record = { resource, record_name, location_code: null, sku_code: null }
  const all = fields.map((field) => [field, Reflect.get(before, field), Reflect.get(after, field)])
  return [...all, ...linesOf(before, after)]
    .filter(([, from, to]) => JSON.stringify(from) !== JSON.stringify(to))
    .map(([field, from, to]) => ({ ...record, field, from, to }))
}

function linesOf(before: object, after: object): unknown[][] {
  if (!('lines' in before && 'lines' in after)) return []
  const [from, to] = [before.lines, after.lines] as [Order['lines'], Order['lines']]
  return from.flatMap((line, position) =>
    (['verified_quantity', 'verification_status'] as const).map((name) => [
      `items[${position}].${name}`,
      line[name],
      to[position]?.[name],
    ]),
  )
}

function takeBack(context: Context) {
  const { state, made } = context
  const request = visible(context, 'write', 400)
  if (isRefused(request)) return request
  const forgotten = isForgotten(state, request)
  if (forgotten === true || (forgotten === 'unsure' && made.status >= 400)) return BROKEN_RULE
  const { replaced } = request
  if (!replaced) return BROKEN_RULE
  return replaced.resource === 'inventory'
    ? takeStockBack(context, replaced.slices)
    : takeRecordBack(context, replaced)
}

/** Only the pairs that nobody else has changed since. */
function takeStockBack(
  { state, at, made }: Context,
  slices: readonly [ReplacedPair[], ReplacedPair[]],
): Done {
  let next = state
  const setBack = (pairs: ReplacedPair[]) =>
    pairs.flatMap((pair) => {
      const { location_code, sku_code } = pair
      const quantity = pair.from ?? 0
      if (quantityOf(state, pair) !== pair.to || pair.to === quantity) return []
      const record = { location_code, sku_code, quantity }
      next = withRecord(next, 'stock', `${location_code} ${sku_code}`, record)
      return [{ location_code, sku_code, from: pair.to, to: quantity }]
    })
  const [changed, created] = [setBack(slices[0]), setBack(slices[1])]
  const isZeroed = slices[1].some(({ from }) => from === null)
  const counts = {
    restored: changed.length + (isZeroed ? 0 : created.length),
    zeroed: isZeroed ? created.length : 0,
  }
  const done = written(200, next, (later) => {
    const others = slices.flat().filter((pair) => quantityOf(later, pair) !== (pair.from ?? 0))
    const changed_since = others.map((pair) => ({ ...pair, quantity: quantityOf(later, pair) }))
    return toldOf(made.request_id, at, { ...counts, changed_since })
  })
  return { ...done, replaced: { resource: 'inventory', slices: [changed, created] } }
}

const quantityOf = ({ stock }: State, { location_code, sku_code }: ReplacedPair) =>
  stock.get(`${location_code} ${sku_code}`)?.quantity

/** Only while it is as the PUT left it. */
function takeRecordBack(
  { state, at, made }: Context,
  { resource, name, fields, before, after }: Exclude<Replaced, { resource: 'inventory' }>,
): Done | Refused {
  const stored = state[resource].get(name) as typeof after
  if (stored.version !== after.version) return { ...CHANGED, version: stored.version }
  const [former, latter] = [before, after] as Order[]
  if (former?.status !== latter?.status && FINAL.includes(latter?.status ?? '')) return BROKEN_RULE
  const next = { ...before, updated_at: instantOf(made), version: after.version + 1 }
  const replaced = { resource, name, fields, before: after, after: next } as Replaced
  const done = written(200, withRecord(state, resource, name, next as never), () =>
    toldOf(made.request_id, at, { restored: 1, zeroed: 0, changed_since: [] }),
  )
  return { ...done, replaced }
}

function toldOf(request_id: string, undone: string, counts: { changed_since: Json[] } & Json) {
  return { request_id, undone, ...counts, changed_since_total: counts.changed_since.length }
}
