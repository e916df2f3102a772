import { env } from 'cloudflare:workers'
import { mintKey } from '../../../src/engine/identity/key.ts'
import { newAddress } from '../../fixtures/address.ts'
import { faultyBindings } from '../../fixtures/harness.ts'
import { dispatch, ORIGIN, type Worker } from '../../fixtures/tenant.ts'
import { NO_TAG } from './access.ts'
import type { Call, Sequence } from './calls.ts'
import type { Exchange } from './exchange.ts'
import { isObject } from './fields.ts'
import { filtersOf, isByQuantity } from './filters.ts'
import type { Follower } from './follower.ts'
import type { Operation, Query } from './operation.ts'
import { OPERATIONS } from './operations.ts'
import type { Json } from './state.ts'
import { WORKSPACE_ID } from './workspace.ts'
import type { KnownKey, World } from './world.ts'

// Somewhat less than the service waits for D1, as its clock goes here (test/fixtures/clock.ts).
const SLOW_MS = 60

/** Of a record that no answer has shown; each begins so. */
function unknownTag(names: Names, call: Call): string {
  const { state } = names.world
  const { at = '' } = call
  const [resource = ''] = call.operation.split('.')
  const ids: Record<string, () => string | undefined> = {
    orders: () => state.orders.get(at)?.id,
    products: () => state.products.get(at)?.id,
    locations: () => state.locations.get(at)?.id,
    workspace: () => WORKSPACE_ID,
  }
  const id = ids[resource]?.() ?? (resource in ids ? '00000000' : nameOf(names, call))
  return `"1.${id.slice(0, 8)}.0"`
}

/** What the players know by name, from the answers that they got. */
interface Names {
  world: World
  nobody: KnownKey
  /** Of all of them: nobody else has it. */
  address: string
  newestKey: KnownKey | null
  newestPartner: string | null
  /** Of requests that may have replaced something, oldest first. */
  writes: string[]
  newestOther: string
  /** By operation: what the last page gave, its last record, and its filters. */
  /** ETags that answers had, oldest first, by resource and identifier. */
  tags: Map<string, string[]>
  cursors: Map<string, { cursor: string; after: string; of: string; digest: string | undefined }>
}

/** Sends the steps, one after the other; the requests of a step together. */
export async function play(
  world: World,
  sequence: Sequence,
  isolates: readonly Worker[],
  follower: Follower,
): Promise<Exchange[]> {
  const nobody = { id: '', value: (await mintKey(world.tenant)).value }
  const names: Names = {
    world,
    nobody,
    address: newAddress(),
    newestKey: null,
    newestPartner: null,
    writes: [],
    newestOther: 'unknown',
    tags: new Map(),
    cursors: new Map(),
  }
  const exchanges: Exchange[] = []
  const drains: Promise<void>[] = []
  for (const [step, calls] of sequence.entries()) {
    const asked = calls.map((call) => ask(names, step, call, isolates))
    const [answered] = await Promise.all([Promise.all(asked), follower.walk()])
    for (const { exchange, drained } of answered) {
      exchanges.push(exchange)
      drains.push(drained())
      learn(names, exchange)
    }
  }
  await Promise.all(drains)
  return exchanges
}

async function ask(names: Names, step: number, call: Call, isolates: readonly Worker[]) {
  const operation = OPERATIONS[call.operation] as Operation
  const key = keyOf(names, call.client)
  const { url, path, query } = addressOf(names, call, operation)
  const body = withPartner(names, call)
  const condition = conditionOf(names, call)
  const isRead = operation.method === 'GET'
  const request = new Request(url, {
    method: operation.method,
    headers: {
      'X-API-Key': key.value,
      'CF-Connecting-IP': names.address,
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...(call.isExport && { Accept: 'application/x-ndjson' }),
      ...(condition !== undefined && { [isRead ? 'If-None-Match' : 'If-Match']: condition }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const { bindings, hits, drained } =
    call.faults.length > 0 ? faultyBindings(call.faults) : NO_FAULTS
  const worker = isolates[call.isolate] as Worker
  const started = performance.now()
  const { answer, afterwards } = await dispatch(request, { worker, bindings })
  const { status, headers, text } = answer
  const at = nameOf(names, call)
  const exchange: Exchange = {
    step,
    call,
    list: listOf(names, call),
    sent: {
      operation,
      key_id: key.id,
      at,
      body,
      query,
      condition,
      isDryRun: call.isDryRun === true,
    },
    path,
    request_id: headers.get('X-Request-Id') ?? '',
    status,
    headers,
    text,
    body: headers.get('Content-Type')?.includes('ndjson') ? exported(text) : parsed(text),
    hits,
    isSlow: performance.now() - started > SLOW_MS,
  }
  return {
    exchange,
    drained: async () => {
      await afterwards()
      await drained()
    },
  }
}

const NO_FAULTS = { bindings: env, hits: [], drained: async () => {} }

/** As if the whole list were one page. */
function exported(text: string): Json {
  const lines = text.split('\n').slice(0, -1)
  return { success: true, data: lines.map((line) => JSON.parse(line)) }
}

function parsed(text: string): Json | null {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : null
  } catch {
    return null
  }
}

function keyOf({ world, nobody, newestKey }: Names, name: string): KnownKey {
  if (name === 'nobody') return nobody
  const known = name === 'newest' ? newestKey : null
  return known ?? world.keys.get(name as Call['client']) ?? world.keys.get('plain') ?? nobody
}

function partnerOf({ world, newestPartner }: Names, name: unknown): unknown {
  if (name === 'first') return world.partner
  return name === 'newest' ? (newestPartner ?? world.partner) : name
}

/** The newest one is '1'. */
function requestOf({ writes, newestOther }: Names, name: string): string {
  if (name === 'other') return newestOther
  if (name === 'unknown') return name
  return writes.at(-Number(name)) ?? writes[0] ?? newestOther
}

function nameOf(names: Names, { operation, at = '' }: Call): string {
  if (operation.startsWith('api-keys.')) return at === 'unknown' ? at : keyOf(names, at).id
  if (operation.startsWith('audit-log.')) return requestOf(names, at)
  const isPartner = /^(?:partners|mappings|item-codes)\./.test(operation)
  return isPartner ? String(partnerOf(names, at)) : at
}

function withPartner(names: Names, { operation, body }: Call): unknown {
  if (!operation.startsWith('api-keys.') || !isObject(body)) return body
  return 'partner_id' in body ? { ...body, partner_id: partnerOf(names, body.partner_id) } : body
}

function withPartnerId(names: Names, query: Call['query'] = {}): NonNullable<Call['query']> {
  const { partner_id } = query
  return { ...query, ...(partner_id && { partner_id: String(partnerOf(names, partner_id)) }) }
}

function addressOf(names: Names, call: Call, { path, scope }: Operation) {
  const { cursor: isNext, ...query } = withPartnerId(names, call.query)
  const area = scope.startsWith('settings.') ? 'settings' : 'integrations'
  const address = `/api/${area}/v1${path.replace(':at', encodeURIComponent(nameOf(names, call)))}`
  const known = isNext && names.cursors.get(listOf(names, call))
  const parameters = new URLSearchParams({
    ...(query as Record<string, string>),
    ...(known && { cursor: known.cursor }),
    ...(call.isDryRun && { dry_run: 'true' }),
  })
  const url = `${ORIGIN}${address}${parameters.size > 0 ? `?${parameters}` : ''}`
  const { isExport } = call
  const { after, of, digest } = known ?? {}
  return { url, path: address, query: { ...query, isExport, after, of, digest } }
}

/** Cursors of changes and of the history belong to what these are of. */
function listOf(names: Names, call: Call): string {
  const { operation, query } = call
  const isOfOne = ['audit-log.changes', 'inventory.history'].includes(operation)
  return isOfOne ? `${operation} ${nameOf(names, call)} by ${query?.by}` : operation
}

const recordOf = ({ operation, at = '' }: Call) => `${operation.split('.')[0]} ${at}`

function conditionOf(names: Names, call: Call): string | undefined {
  const known = names.tags.get(recordOf(call)) ?? []
  if (call.condition === 'newest') return known.at(-1) ?? unknownTag(names, call)
  if (call.condition === 'oldest') return known[0] ?? unknownTag(names, call)
  if (call.condition === 'any') return '*'
  if (call.condition === 'invalid') return NO_TAG
  return call.condition && '"99.00000000.0"'
}

const REPLACING = /\.(upload|update|undo)$/

function learn(names: Names, exchange: Exchange): void {
  const { call, sent, status, body, headers, request_id } = exchange
  const { operation } = call
  const mayHaveHappened = !call.isDryRun && (status < 300 || status >= 500)
  if (REPLACING.test(operation) && mayHaveHappened) names.writes.push(request_id)
  else names.newestOther = request_id
  const tag = headers.get('ETag')
  if (tag !== null) {
    const place = recordOf(call)
    names.tags.set(place, [...(names.tags.get(place) ?? []), tag])
  }
  const { data, pagination } = body ?? {}
  if (call.isDryRun) return
  if (status === 201 && operation.startsWith('api-keys.') && isObject(data)) {
    names.newestKey = { id: String(data.id), value: String(data.key) }
  }
  if (status === 201 && operation === 'partners.create' && isObject(data)) {
    names.newestPartner = String(data.id)
  }
  if (status === 200 && isObject(pagination) && typeof pagination.next_cursor === 'string') {
    const after = Array.isArray(data) ? lastOf(operation, data.at(-1), sent.query) : null
    const of = filtersOf(sent.query)
    const cursor = pagination.next_cursor
    if (after) names.cursors.set(exchange.list, { cursor, after, of, digest: digestIn(cursor) })
  }
}

/** What the cursor holds of the list's filters, and of whose orders it has. */
const digestIn = (cursor: string) => Buffer.from(cursor, 'base64url').toString().split('.')[4]

/** What the model knows the record by; null where an outbound mapping hides it. */
function lastOf(operation: string, record: Json, query: Query): string | null {
  const { request_id, location_code, sku_code, field } = record
  if (operation === 'audit-log.changes') return `${location_code} ${sku_code} ${field}`
  if (operation === 'inventory.history') return `${request_id} ${location_code} ${sku_code}`
  if (operation === 'inventory.list') {
    const name = location_code && sku_code ? `${location_code} ${sku_code}` : null
    if (name === null || !isByQuantity(query)) return name
    return record.quantity === undefined ? null : `${record.quantity} ${name}`
  }
  const names: Record<string, string> = {
    'orders.list': 'order_number',
    'products.list': 'sku',
    'locations.list': 'code',
    'audit-log.list': 'request_id',
  }
  const name = record[names[operation] ?? 'id']
  return name === undefined ? null : String(name)
}
