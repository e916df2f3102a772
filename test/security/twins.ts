import { env } from 'cloudflare:workers'
import { type KeyPrefix, mintKey } from '../../src/engine/identity/key.ts'
import { CODE_KINDS } from '../../src/engine/mapping/item-code.ts'
import { WebhookRules } from '../../src/engine/webhooks/rules.ts'
import { type Endpoint, ITEM_CODE, pathAt, pathWith, resourceOf } from '../fixtures/endpoints.ts'
import type { Fields } from '../fixtures/forms.ts'
import { type DashboardPage, ITEM_CODES, MAPPING, UNDO_IMPORT } from '../fixtures/pages.ts'
import { type Dashboard, openDashboard } from '../fixtures/session.ts'
import {
  type Answer,
  type Api,
  client,
  type Json,
  openTenant,
  type Tenant,
  unique,
} from '../fixtures/tenant.ts'

const DATABASES = { demo: env.DB_DEMO, other: env.DB_OTHER }
const QUANTITIES = { demo: 1_111_111_111, other: 1_222_222_222 }

/** What can be told to be of one tenant: its words and quantities, ids, and hashes of keys. */
const TRACE =
  /kept-by-\w+|\b1[12]{9}\b|\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b[0-9a-f]{64}\b/g

/** What records are called, which two tenants may do alike. */
export interface Names {
  order_number: string
  external_order_id: string
  sku: string
  code: string
  partner: string
}

/** A tenant's records of those names; nothing else in them is any other tenant's. */
export interface Holder {
  tenant: Tenant
  names: Names
  key: { id: string; value: string; hash: string }
  api: Api
  /** The secret part of the address of a webhook that checks nothing else. */
  token: string
  /** By resource, as the settings API and the path of an endpoint name it. */
  ids: Record<string, string>
}

export function newNames(): Names {
  const [order_number, external_order_id, sku] = [unique('O'), unique('E'), unique('S')]
  return { order_number, external_order_id, sku, code: unique('L'), partner: unique('partner') }
}

/** Records of these names, with a key that may do everything. */
export async function hold(tenant: Tenant, names: Names): Promise<Holder> {
  const [own, quantity] = [`kept-by-${tenant}`, QUANTITIES[tenant]]
  const { order_number, external_order_id, sku, code } = names
  const [key, spare] = [await newKey(tenant, own), await newKey(tenant, own)]
  const [orders, products, locations] = [uuid(), uuid(), uuid()]
  const [partners, request_id, webhook] = [uuid(), uuid(), await newKey(tenant, own)]
  const [sender, delivery, address] = [uuid(), uuid(), await newKey(tenant, own, 'xh')]
  const [person, session, check] = [await newKey(tenant, own), uuid(), uuid()]
  const created_at = new Date().toISOString()
  const times = { created_at, updated_at: created_at }
  const inbound = JSON.stringify({ unmapped: 'keep', fields: { order_number: `${own}.number` } })
  const custom_fields = JSON.stringify({ own })
  const asked = { method: 'GET', path: '/', status: 200, duration_ms: 1, settings_version: 1 }
  const caller = { api_key_id: key.row.id, api_key_name: own }
  const mapping = { partner_id: partners, resource: 'orders', inbound, updated_at: created_at }
  const rows: Row[] = [
    ['api_keys', key.row],
    ['api_keys', spare.row],
    ['partners', { id: partners, name: names.partner, ...times }],
    ['field_mappings', mapping],
    ...CODE_KINDS.flatMap((kind) => [
      ['item_code_tables', { partner_id: partners, kind, codes: 1, version: 1 }] as Row,
      ['item_codes', { partner_id: partners, kind, code: ITEM_CODE, record_name: own }] as Row,
    ]),
    // A partner with a webhook cannot be deleted.
    ['partners', { id: sender, name: unique('sender'), ...times }],
    ['api_keys', { ...webhook.row, ...webhookOf(sender, { kind: 'token', header: 'X-Token' }) }],
    ['api_keys', { ...address.row, ...webhookOf(sender, { kind: 'address' }) }],
    ['api_keys', { ...person.row, email: `${unique(own)}@example.com` }],
    [
      'sessions',
      {
        id: session,
        hash: session,
        api_key_id: key.row.id,
        created_at,
        ends_at: '2999-01-01T00:00:00.000Z',
      },
    ],
    ['products', { id: products, sku, quantity, custom_fields, ...times }],
    ['locations', { id: locations, code, name: own, ...times }],
    ['inventory', { location_code: code, sku_code: sku, quantity }],
    ['orders', { id: orders, order_number, external_order_id, customer_name: own, ...times }],
    ['order_items', { order_id: orders, position: 0, id: uuid(), sku_code: sku, quantity: 1 }],
    ['audit_log', { request_id, created_at, ...asked, ...caller }],
    ...[uuid(), uuid(), uuid()].map((id): [string, Record<string, unknown>] => [
      'audit_log',
      { request_id: id, created_at, ...asked, ...caller, ...refusedOf(partners, own) },
    ]),
    [
      'audit_log',
      { request_id: delivery, created_at, ...asked, api_key_id: address.row.id, api_key_name: own },
    ],
    [
      'waiting_deliveries',
      { delivery_id: delivery, api_key_id: address.row.id, ...waitingOf(sender, own, sku) },
    ],
    ['line_differences', { order_id: orders, request_id, ...differingOf(sender, sku, created_at) }],
    ['key_attempts', attemptOf(own, created_at)],
    ['audit_log', { ...asked, ...importOfRow(check, products, sku), created_at, ...caller }],
  ]
  await DATABASES[tenant].batch([
    ...rows.map(([table, row]) => insertInto(tenant, table, row)),
    rememberUpload(tenant, request_id, { location_code: code, sku_code: sku, quantity }),
    createdByImport(tenant, check, products),
  ])
  const history = await ownChange(tenant, partners)
  const ids = {
    ...{ orders, products, locations, partners, history },
    ...{ 'api-keys': spare.row.id, webhooks: webhook.row.id, 'audit-log': request_id },
    ...{ deliveries: delivery, 'line-differences': orders, 'lines-seen': request_id },
    ...{ people: person.row.id, sessions: session },
    ...{ connect: webhook.row.id, imports: check },
  }
  const { id, hash } = key.row
  const { value: token } = address
  return { tenant, names, key: { id, hash, value: key.value }, api: client(key.value), token, ids }
}

/** The number of the partner's change. Each tenant counts from 1: here from a number that no other tenant has. */
async function ownChange(tenant: Tenant, partner: string): Promise<string> {
  const first = QUANTITIES[tenant]
  const [, found] = await DATABASES[tenant].batch<{ seq: number }>([
    DATABASES[tenant].prepare(
      `update settings_history set seq = seq + ${first} where seq < ${first}`,
    ),
    DATABASES[tenant].prepare('select seq from settings_history where record_id = ?').bind(partner),
  ])
  return String(found?.results[0]?.seq)
}

type Row = [table: string, row: Record<string, unknown>]

const uuid = () => crypto.randomUUID()

/** As if the request had set the stock to what it is. */
function rememberUpload(tenant: Tenant, request_id: string, stock: Json): D1PreparedStatement {
  return DATABASES[tenant]
    .prepare(
      `insert into replaced_values select audit_log.seq, 0, 'inventory',
         json_object('changed', json_array(json_array(inventory.seq, 3, quantity)))
       from audit_log, inventory where request_id = ? and location_code = ? and sku_code = ?`,
    )
    .bind(request_id, stock.location_code, stock.sku_code)
}

/** The audit row of a product that an import has created. */
function importOfRow(check: string, record_id: string, record_name: string) {
  const imported = { record_id, record_name, replay_of: check, status: 201 }
  return {
    ...imported,
    request_id: uuid(),
    method: 'POST',
    path: '/dashboard/import/products/run/',
  }
}

function createdByImport(tenant: Tenant, check: string, product: string): D1PreparedStatement {
  return DATABASES[tenant]
    .prepare(
      `update products set (changed_in, changed_by) = (
         select seq, request_id from audit_log where replay_of = ?1) where id = ?2`,
    )
    .bind(check, product)
}

/** What a check-up finds, if it is there three times. */
function refusedOf(partner_id: string, record_name: string) {
  return { partner_id, record_name, method: 'POST', status: 400, error_fields: '\nx\n' }
}

function webhookOf(partner_id: string, verification: object) {
  const webhook = WebhookRules.parse({ resource: 'orders', verification })
  const scopes = JSON.stringify(['integrations.orders.*'])
  return { partner_id, scopes, own_orders_only: 1, webhook: JSON.stringify(webhook) }
}

/** A delivery of an order that can be applied by now. */
function waitingOf(partner_id: string, own: string, sku: string) {
  const body = JSON.stringify(orderOf(own, sku))
  const [created_at, ends_at] = [new Date().toISOString(), '2099-01-01T00:00:00.000Z']
  const waits = {
    needs: 'person',
    error_code: 'SERVICE_ERROR',
    message: own,
    content_type: 'application/json',
  }
  return {
    log_seq: 0,
    partner_id,
    resource: 'orders',
    ...waits,
    created_at,
    ends_at,
    bytes: body.length,
    body,
  }
}

let noted = 0

/** Each is newer than the one before. */
function differingOf(partner_id: string, sku_code: string, noted_at: string) {
  const differences = JSON.stringify([{ sku_code, stored: 1, sent: 2 }])
  noted += 1
  return { log_seq: noted, partner_id, sent: '[]', differences, total: 1, noted_at }
}

/** A new order of the product. */
export function orderOf(own: string, sku_code: string) {
  return { order_number: unique('O'), customer_name: own, items: [{ sku_code, quantity: 1 }] }
}

function attemptOf(own: string, at: string) {
  const hint = `${own}-${uuid()}`
  return { hint, reason: 'unknown', count: 1, first_at: at, last_at: at, bundle_id: uuid() }
}

async function newKey(tenant: Tenant, name: string, prefix: KeyPrefix = 'xd') {
  const { value, hash, hint } = await mintKey(tenant, prefix)
  const scopes = JSON.stringify(['integrations.*', 'settings.*'])
  return {
    value,
    row: { id: uuid(), hash, hint, name, scopes, created_at: new Date().toISOString() },
  }
}

function insertInto(tenant: Tenant, table: string, row: Record<string, unknown>) {
  const [names, values] = [Object.keys(row), Object.values(row)]
  const places = values.map(() => '?')
  return DATABASES[tenant]
    .prepare(`insert into ${table} (${names}) values (${places})`)
    .bind(...values)
}

/** A tenant with nothing in it but its name. */
export async function openEmpty(tenant: Tenant): Promise<void> {
  const db = await openTenant(tenant)
  const deliveries = [
    'waiting_deliveries',
    'waiting_totals',
    'delivered_changes',
    'line_differences',
  ]
  const tables = ['inventory', 'order_items', 'orders', 'products', 'locations', 'field_mappings']
  const codes = ['item_codes', 'item_code_tables']
  const settings = [
    'sessions',
    'api_keys',
    'partners',
    'audit_log',
    'key_attempts',
    'replaced_values',
  ]
  const history = ['settings_history']
  await db.batch([
    ...[...deliveries, ...tables, ...codes, ...settings, ...history].map((table) =>
      db.prepare(`delete from ${table}`),
    ),
    db.prepare('update workspace set name = ?, pause = null').bind(`kept-by-${tenant}`),
  ])
}

/** The dashboard, signed in to with the holder's key. */
export function dashboardOf({ key }: Holder): Promise<Dashboard> {
  return openDashboard([], { key: key.value })
}

/** What creates a record gives it a name that is taken, though not in this tenant. */
const CREATIONS: Record<string, (own: Names, taken: Names) => Json> = {
  orders: ({ sku }, { order_number, external_order_id }) => ({
    order_number,
    external_order_id,
    items: [{ sku_code: sku, quantity: 1 }],
  }),
  products: (_, { sku }) => ({ sku }),
  locations: (_, { code }) => ({ code }),
  inventory: ({ code, sku }) => ({
    inventory: [{ location_code: code, sku_code: sku, quantity: 7 }],
  }),
  partners: (_, { partner }) => ({ name: partner }),
}

/** The request of an endpoint about the holder's records; `taken` are names in another tenant. */
export async function requestBy(
  holder: Holder,
  endpoint: Endpoint,
  taken: Names,
): Promise<[method: string, path: string, body?: Json]> {
  const { method } = endpoint
  const path = pathWith(endpoint)
  if (path.includes(':')) {
    return [method, pathAt(path, identifierBy(holder, endpoint)), await endpoint.body?.(holder.api)]
  }
  const create = method === 'POST' && CREATIONS[resourceOf(endpoint)]
  const body = create ? create(holder.names, taken) : await endpoint.body?.(holder.api)
  return [method, path, body]
}

/** What the path of an endpoint calls the holder's record. */
export function identifierBy({ names, ids }: Holder, endpoint: Endpoint): string {
  const { order_number: orders, sku: products, code } = names
  const known: Record<string, string> = {
    orders,
    products,
    locations: code,
    inventory: code,
    // The same for everybody.
    'mapping-starters': 'woocommerce-order',
    'webhook-presets': 'woocommerce-orders',
  }
  const identifier = known[resourceOf(endpoint)] ?? ids[resourceOf(endpoint)]
  if (!identifier) throw new Error(`nobody holds any ${resourceOf(endpoint)}`)
  return identifier
}

const RULES = {
  'inbound.unmapped': 'drop',
  'inbound.target': ['order_number'],
  'inbound.kind': ['path'],
  'inbound.source': ['no'],
}

function webhookForm({ ids }: Holder): Fields {
  const rules = { resource: 'orders', kind: 'token', header: 'X-Token' }
  return { ...rules, name: unique('webhook'), partner_id: ids.partners ?? '' }
}

/** An order of the holder's product, as its partner's mapping reads it. */
function fileOf({ names, tenant }: Holder): Fields {
  const items = [{ sku_code: names.sku, quantity: 1 }]
  return { document: JSON.stringify({ [`kept-by-${tenant}`]: { number: unique('N') }, items }) }
}

/** The rows of a checked table. */
function importOf(...row: (string | number | null)[]): Fields {
  const results = { created: 0, changed: 0, same: 0, failed: 0, failures: [] }
  const carried = { rows: JSON.stringify([row]), results: JSON.stringify(results) }
  return { run: uuid(), check: uuid(), ...carried }
}

/** What is filled in at a page; where nothing is, the form is a button. */
const FORMS: Record<string, (holder: Holder, taken: Names) => Fields> = {
  '/dashboard/sign-in/': ({ key }) => ({ key: key.value }),
  '/dashboard/new/api-key/': () => ({ name: unique('key'), access: 'full' }),
  '/dashboard/api-keys/:id/': () => ({ name: unique('key'), access: 'full' }),
  '/dashboard/api-keys/:id/rotate/': () => ({ overlap_seconds: '3600' }),
  '/dashboard/new/webhook/': webhookForm,
  '/dashboard/webhooks/:id/edit/': webhookForm,
  '/dashboard/webhooks/:id/secret/': () => ({ secret: unique('secret') }),
  '/dashboard/webhooks/:id/rotate/': () => ({ overlap_seconds: '3600' }),
  '/dashboard/orders/:id/edit/': () => ({ notes: unique('note') }),
  '/dashboard/products/:id/edit/': () => ({ cost: '3.20' }),
  '/dashboard/locations/:id/edit/': () => ({ zone: unique('zone') }),
  '/dashboard/inventory/adjust/': ({ names, tenant }) => ({
    location_code: names.code,
    sku_code: names.sku,
    shown: String(QUANTITIES[tenant]),
    quantity: '7',
  }),
  '/dashboard/import/products/': (_, { sku }) => ({ document: `sku\n${sku}` }),
  '/dashboard/import/products/run/': (_, { sku }) => importOf(2, '', sku, '7'),
  '/dashboard/import/locations/': (_, { code }) => ({ document: `code\n${code}` }),
  '/dashboard/import/locations/run/': (_, { code }) => importOf(2, '', code),
  '/dashboard/import/inventory/': ({ names: { code, sku } }) => ({
    document: `location_code;sku_code;quantity\n${code};${sku};7`,
  }),
  '/dashboard/import/inventory/run/': ({ names: { code, sku }, tenant }) => {
    const { rows } = importOf(2, code, sku, 7, QUANTITIES[tenant])
    return { rows: rows ?? '' }
  },
  '/dashboard/new/product/': (_, { sku }) => ({ sku }),
  '/dashboard/new/location/': (_, { code }) => ({ code }),
  '/dashboard/new/person/': () => ({ name: 'Ada', email: `${unique('ada')}@example.com` }),
  '/dashboard/people/:id/': () => ({ name: unique('Ada') }),
  '/dashboard/new/partner/': (_, { partner }) => ({ name: partner }),
  '/dashboard/partners/:id/': () => ({ name: unique('partner') }),
  [MAPPING]: () => RULES,
  [`${MAPPING}preview/`]: () => ({ ...RULES, document: '{"no": "1"}' }),
  [`${MAPPING}replay/`]: () => RULES,
  [`${MAPPING}file/`]: fileOf,
  [`${MAPPING}file/send/`]: fileOf,
  [ITEM_CODES]: () => ({ code: unique('C'), sku_code: unique('S') }),
  [`${ITEM_CODES}import/`]: () => ({ body: `code,sku_code\n${unique('C')},MUG` }),
  '/dashboard/connect/:preset/': (_, { partner }) => ({ name: partner }),
  '/dashboard/connect/:preset/:id/secret/': () => ({ secret: unique('secret') }),
  '/dashboard/orders/:id/lines-seen/': ({ ids }) => ({ request_id: ids['lines-seen'] ?? '' }),
  '/dashboard/apply-deliveries/': ({ ids }) => ({
    run: uuid(),
    ids: ids.deliveries ?? '',
    results: '[]',
  }),
  [UNDO_IMPORT]: () => ({
    ...{ run: uuid(), after: '0', until: '1000000', left: '1' },
    results: '{"restored":0,"deactivated":0,"undone":0,"unchanged":0,"stayed":0,"stays":[]}',
  }),
  '/dashboard/workspace/': () => ({ name: unique('Warehouse') }),
  '/dashboard/workspace/integration/': () => ({ integration_enabled: 'true' }),
}

/** A record that is to be activated is inactive first: otherwise nothing changes. */
export async function makeReady({ api, names }: Holder, { path }: DashboardPage): Promise<void> {
  if (path === '/dashboard/products/:id/activate/') await api.delete(`/products/${names.sku}/`)
  if (path === '/dashboard/locations/:id/activate/') await api.delete(`/locations/${names.code}/`)
}

/** A page of the dashboard about the holder's records, or its form as the holder fills it in. */
export function visitBy(
  holder: Holder,
  dashboard: Dashboard,
  { method, path }: DashboardPage,
  taken: Names,
): Promise<Answer> {
  const area = path === UNDO_IMPORT ? 'imports' : path.split('/')[2]
  const place = pathAt(path, holder.ids[area ?? ''] ?? '')
  if (place.includes('//')) throw new Error(`nobody holds what ${path} is about`)
  const query = path === '/dashboard/search/' ? `?q=${holder.names.order_number.slice(0, -1)}` : ''
  return method === 'GET'
    ? dashboard.get(place + query)
    : dashboard.post(place, FORMS[path]?.(holder, taken))
}

/** Every row of every table of the tenant's database, and the schema. */
export async function contentsOf(tenant: Tenant): Promise<Record<string, Json[]>> {
  const db = DATABASES[tenant]
  const read = "select * from sqlite_master where name not glob '_cf_*'"
  const { results: schema } = await db.prepare(read).all<Json>()
  const tables = schema.filter(({ type }) => type === 'table').map(({ name }) => name as string)
  const rows = await db.batch(tables.map((table) => db.prepare(`select * from ${table}`)))
  return { schema, ...Object.fromEntries(tables.map((table, at) => [table, rows[at]?.results])) }
}

export const everything = async () => ({
  demo: await contentsOf('demo'),
  other: await contentsOf('other'),
})

/** But attempts with demo's keys elsewhere: demo counts them. */
export async function everythingElse() {
  const { demo, other } = await everything()
  return { demo: { ...demo, key_attempts: null }, other }
}

/** The contents that are not the log of who asked for what. */
export function recordsIn({ audit_log, sqlite_sequence, ...records }: Record<string, Json[]>) {
  return records
}

export function tracesIn(value: unknown): Set<string> {
  return new Set(JSON.stringify(value).match(TRACE))
}
