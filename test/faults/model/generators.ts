import fc from 'fast-check'
import type { Fault } from '../../fixtures/fault.ts'
import {
  CODES,
  locationBodies,
  ORDER_NAMES,
  OTHER_NAMES,
  orderBodies,
  plainUploads,
  productBodies,
  SKUS,
  uploadBodies,
} from './bodies.ts'
import type { Call, Client, Sequence } from './calls.ts'
import { ITEM_CODE } from './item-codes.ts'
import { OPERATIONS } from './operations.ts'
import {
  codeBodies,
  keyBodies,
  mappingBodies,
  partnerBodies,
  previewBodies,
  workspaceBodies,
} from './settings-bodies.ts'

const STEPS_MAX = 10
const TOGETHER_MAX = 3

type Part = Omit<Call, 'client' | 'isolate' | 'faults'>
type Parts = fc.Arbitrary<Part>

const weighted = <T>(...choices: [weight: number, arbitrary: fc.Arbitrary<T>][]) =>
  fc.oneof(...choices.map(([weight, arbitrary]) => ({ weight, arbitrary })))

/** A body that is no object, once in a while. */
const sometimesNone = (body: fc.Arbitrary<unknown>) =>
  weighted([40, body], [1, fc.constantFrom<unknown>([], 'text', null)])

const condition = weighted<Call['condition']>(
  [8, fc.constant(undefined)],
  [8, fc.constant('newest')],
  [3, fc.constantFrom('oldest', 'unknown')],
  [2, fc.constant('any')],
  [1, fc.constant('invalid')],
)

const sometimesDry = weighted([4, fc.constant(undefined)], [1, fc.constant(true as const)])

const isWriting = (operation: string) => OPERATIONS[operation]?.method !== 'GET'

function call(
  operation: string,
  parts: {
    at?: fc.Arbitrary<string>
    body?: fc.Arbitrary<unknown>
    query?: fc.Arbitrary<Call['query']>
    /** It may have a condition. */
    isTagged?: true
  } = {},
): Parts {
  const { at, body, query, isTagged } = parts
  return fc.record({
    operation: fc.constant(operation),
    ...(at && { at }),
    ...(body && { body: sometimesNone(body) }),
    ...(query && { query }),
    ...(isTagged && { condition }),
    ...(isWriting(operation) && { isDryRun: sometimesDry }),
  }) as Parts
}

const limit = fc.constantFrom('1', '2', '3', '1', '2', '50', '0', 'x')
const paging = weighted<Call['query']>(
  [1, fc.constant({})],
  [2, limit.map((limit) => ({ limit }))],
  [2, limit.map((limit) => ({ limit, cursor: true as const }))],
)

/** A page of a list with filters: some of these, mostly one. */
function filtered(filters: Record<string, fc.Arbitrary<string>>): fc.Arbitrary<Call['query']> {
  const some = fc.oneof(
    ...Object.entries(filters).map(([name, values]) => values.map((value) => ({ [name]: value }))),
  )
  const several = fc.record(filters, { requiredKeys: [] })
  return fc
    .tuple(paging, weighted([3, some], [1, several]))
    .map(([page, asked]) => ({ ...page, ...asked }))
}

/** With filters, a walk through a list asks for the same ones again and again: there are few. */
const orderFilters = filtered({
  status: fc.constantFrom('pending', 'cancelled,pending', 'pending,cancelled,pending', 'lost'),
  order_number: fc.constantFrom('O-1', ''),
  external_order_id: fc.constantFrom('red', 'red', 'blue', ''),
  partner_id: fc.constantFrom('first', 'first', 'newest', 'unknown'),
  created_from: fc.constantFrom('2026-01-01', '2026-01-02', 'soon'),
  created_to: fc.constantFrom('2026-01-01', '2100-01-01', '2100-01-01'),
})
const activeFilters = (name: 'sku' | 'code', named: string) =>
  filtered({
    is_active: fc.constantFrom('true', 'false', 'all', 'all', 'x'),
    [name]: fc.constantFrom(named, 'unknown', ''),
    ...(name === 'sku' && { without_stock: fc.constantFrom('true', 'true', 'false', 'x') }),
  })
const stockFilters = filtered({
  location_code: fc.constantFrom('L-1', 'L-1', 'L 3', ''),
  sku_code: fc.constantFrom('S-1', 'S-1', 'S-unknown'),
  quantity_below: fc.constantFrom('3', '10', '10', '0', '102'),
})
const listOf = (operation: string, filters: fc.Arbitrary<Call['query']>) => {
  const page = call(operation, { query: weighted([1, paging], [1, filters]) })
  return weighted([4, page], [1, page.map(exportOf)])
}

/** The whole list, mostly without what an export refuses. */
function exportOf({ query = {}, ...part }: Part): Part {
  const { limit, cursor, ...filters } = query
  const isRefused = limit === '3'
  return { ...part, isExport: true, query: isRefused ? query : filters }
}

const at = fc.constantFrom(...ORDER_NAMES)
const other = fc.constantFrom(...OTHER_NAMES)
const keyName = fc.constantFrom(
  'shop',
  'plain',
  'reader',
  'limited',
  'own',
  'expired',
  'newest',
  'newest',
  'unknown',
)
/** Its item code is there. */
const mostlyFirst = weighted([6, fc.constant('first')], [1, fc.constantFrom('newest', 'unknown')])
const partnerName = fc.constantFrom('first', 'first', 'newest', 'newest', 'unknown')

const orders = weighted<Part>(
  [6, call('orders.create', { body: orderBodies.create })],
  [3, listOf('orders.list', orderFilters)],
  [3, call('orders.get', { at, isTagged: true })],
  [4, call('orders.update', { at, body: orderBodies.update, isTagged: true })],
  [3, call('orders.cancel', { at, body: orderBodies.cancel, isTagged: true })],
)

const documents = call('orders.create', { body: orderBodies.document })

const sku = weighted([4, fc.constantFrom(...SKUS, 'S-1')], [1, other])
const products = weighted<Part>(
  [4, call('products.create', { body: productBodies.create })],
  [2, listOf('products.list', activeFilters('sku', 'S-1'))],
  [2, call('products.get', { at: sku, isTagged: true })],
  [3, call('products.update', { at: sku, body: productBodies.update, isTagged: true })],
  [2, call('products.deactivate', { at: sku, isTagged: true })],
)

const code = weighted([4, fc.constantFrom(...CODES, 'L-1')], [1, other])
const locations = weighted<Part>(
  [4, call('locations.create', { body: locationBodies.create })],
  [2, listOf('locations.list', activeFilters('code', 'L-1'))],
  [2, call('locations.get', { at: code, isTagged: true })],
  [3, call('locations.update', { at: code, body: locationBodies.update, isTagged: true })],
  [2, call('locations.deactivate', { at: code, isTagged: true })],
)

const by = fc.constantFrom('sku', 'location', 'sku', 'location', 'colour')
const stock = weighted<Part>(
  [5, call('inventory.upload', { body: uploadBodies })],
  [3, listOf('inventory.list', stockFilters)],
  [1, call('inventory.get', { at: code })],
  [1, call('inventory.get', { at: sku, query: by.map((by) => ({ by })) })],
  [1, history(code, fc.constantFrom('location', undefined))],
  [1, history(sku, fc.constantFrom('sku', 'sku', 'colour'))],
)

function history(at: fc.Arbitrary<string>, by: fc.Arbitrary<string | undefined>) {
  const query = fc.tuple(by, paging).map(([by, page]) => ({ ...page, ...(by && { by }) }))
  return call('inventory.history', { at, query })
}

/** Mostly one of the last. */
const request = fc.constantFrom('1', '2', '3', '1', '2', '4', '1', 'other', 'unknown')
const undone = weighted<Part>(
  [3, call('audit-log.undo', { at: request, body: fc.constant({}) })],
  [1, call('audit-log.changes', { at: request, query: paging })],
)

const log = fc.record(
  {
    limit,
    cursor: fc.constant(true as const),
    status: fc.constantFrom('2xx', '4xx', 'failed', '201', '9'),
    method: fc.constantFrom('POST', 'GET'),
  },
  { requiredKeys: [] },
)

const settings = weighted<Part>(
  [1, call('workspace.get', { isTagged: true })],
  [3, call('workspace.update', { body: workspaceBodies, isTagged: true })],
  [2, call('api-keys.create', { body: keyBodies.create })],
  [1, call('api-keys.list', { query: paging })],
  [1, call('api-keys.get', { at: keyName, isTagged: true })],
  [3, call('api-keys.update', { at: keyName, body: keyBodies.update, isTagged: true })],
  [2, call('api-keys.rotate', { at: keyName, body: keyBodies.rotate, isTagged: true })],
  [2, call('api-keys.revoke', { at: keyName, isTagged: true })],
  [2, call('partners.create', { body: partnerBodies.create })],
  [1, call('partners.list', { query: paging })],
  [1, call('partners.get', { at: partnerName, isTagged: true })],
  [2, call('partners.update', { at: partnerName, body: partnerBodies.update, isTagged: true })],
  [2, call('partners.delete', { at: partnerName, isTagged: true })],
  [1, call('mappings.list', { at: partnerName })],
  ...mappingBodies.map(({ resource, body }): [number, Parts] => [
    resource === 'orders' ? 3 : 1,
    call(`mappings.save.${resource}`, { at: partnerName, body, isTagged: true }),
  ]),
  ...mappingBodies.flatMap(({ resource }): [number, Parts][] => [
    [1, call(`mappings.get.${resource}`, { at: partnerName, isTagged: true })],
    [1, call(`mappings.delete.${resource}`, { at: partnerName, isTagged: true })],
  ]),
  [3, call(`item-codes.save.${ITEM_CODE}`, { at: mostlyFirst, body: codeBodies })],
  [1, call(`item-codes.get.${ITEM_CODE}`, { at: mostlyFirst })],
  [3, call(`item-codes.delete.${ITEM_CODE}`, { at: mostlyFirst })],
  [1, call('mappings.preview.orders', { at: partnerName, body: previewBodies })],
  [1, call('audit-log.list', { query: log })],
)

const clientOf = (usual: Client[], others: Client[]) =>
  weighted(
    [20, fc.constantFrom(...usual)],
    [3, fc.constantFrom(...others)],
    [1, fc.constantFrom<Client>('expired', 'nobody')],
  )

function sent(parts: Parts, client: fc.Arbitrary<Client>, faults: fc.Arbitrary<Fault[]>) {
  const isolate = fc.constantFrom<0 | 1>(0, 0, 0, 1)
  return fc
    .tuple(client, isolate, parts, faults)
    .map(([client, isolate, part, faults]): Call => ({ client, isolate, ...part, faults }))
}

/** Sequences of requests by several clients, each with faults of its own. */
export function sequences(faults: fc.Arbitrary<Fault[]>): fc.Arbitrary<Sequence> {
  const trader = clientOf(
    [
      'shop',
      'shop',
      'shop',
      'own',
      'own',
      'plain',
      'plain',
      'plain',
      'newest',
      'newest',
      'limited',
    ],
    ['reader', 'admin'],
  )
  const administrator = clientOf(['admin', 'admin', 'admin', 'newest'], ['shop', 'newest'])
  const one = weighted(
    [6, sent(orders, trader, faults)],
    [2, sent(documents, fc.constant<Client>('shop'), faults)],
    [4, sent(products, trader, faults)],
    [2, sent(locations, trader, faults)],
    [4, sent(stock, trader, faults)],
    [6, sent(settings, administrator, faults)],
    [4, sent(undone, administrator, faults)],
  )
  // Steps may be empty: a failing sequence loses its requests one by one.
  const step = fc.array(one, { maxLength: TOGETHER_MAX, size: 'max' })
  const steps = weighted([6, step.map((calls) => [calls])], [1, takenBack(trader, faults)])
  return fc
    .array(steps, { minLength: 1, maxLength: STEPS_MAX, size: 'max' })
    .map((all) => all.flat())
}

/** Some writes that replace something, and then somebody who undoes them, by chance rarely seen together. */
function takenBack(trader: fc.Arbitrary<Client>, faults: fc.Arbitrary<Fault[]>) {
  const replacing = weighted<Part>(
    [4, call('inventory.upload', { body: plainUploads })],
    [1, call('products.update', { at: sku, body: productBodies.update })],
    [1, call('locations.update', { at: code, body: locationBodies.update })],
    [2, call('orders.update', { at, body: orderBodies.update })],
  )
  const write = weighted([3, fc.constantFrom<Client>('admin', 'plain')], [1, trader])
  const who = weighted(
    [4, fc.constant<Client>('admin')],
    [1, fc.constant<Client>('own')],
    [1, trader],
  )
  const asked = weighted<Part>(
    [4, call('audit-log.undo', { at: request, body: fc.constant({}) })],
    [1, call('audit-log.changes', { at: request, query: paging })],
    [1, history(fc.constant('L-1'), fc.constant(undefined))],
  )
  const together = { minLength: 1, maxLength: TOGETHER_MAX, size: 'max' } as const
  const alone = (calls: Call[]): Sequence => calls.map((call) => [call])
  const writes = fc.array(sent(replacing, write, faults), together).map(alone)
  const undos = fc.array(sent(asked, who, faults), together)
  // What came in before a time without remembering is forgotten.
  const days = weighted<number[]>([5, fc.constant([])], [1, fc.constantFrom([0], [0, 7], [7])])
  const settings = days.chain((all) =>
    fc.tuple(
      ...all.map((undo_days) =>
        sent(
          call('workspace.update', { body: fc.constant({ undo_days }) }),
          fc.constant<Client>('admin'),
          faults,
        ),
      ),
    ),
  )
  return fc
    .tuple(
      settings.map(alone),
      writes,
      settings.map(alone),
      weighted([3, undos.map(alone)], [1, undos.map((calls): Sequence => [calls])]),
    )
    .map((parts): Sequence => parts.flat())
}
