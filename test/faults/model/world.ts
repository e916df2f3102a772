import { type MintedKey, mintKey } from '../../../src/engine/identity/key.ts'
import type { Tenant } from '../../fixtures/tenant.ts'
import type { AuditRow } from './audit-rows.ts'
import type { Client } from './calls.ts'
import { readable } from './contents.ts'
import { ITEM_CODE } from './item-codes.ts'
import { MISPLACED, REMEMBERED, type RememberedRow, rememberedIn } from './remembered.ts'
import { SAVED } from './settings-bodies.ts'
import type { Json, Key, Line, Order, Product, Rules, State } from './state.ts'

// A tenant's database at the beginning of a sequence, and all that it holds at the end.

/** By what it is called in a sequence; the value is what it is sent with. */
export interface KnownKey {
  id: string
  value: string
}

export interface World {
  tenant: Tenant
  db: D1Database
  state: State
  keys: Map<Client | 'follower', KnownKey>
  /** The shop's. */
  partner: string
}

const NOW = '2026-01-01T00:00:00.000Z'
/** Of children before what they refer to. */
const TABLES = [
  ...['order_items', 'orders', 'inventory', 'inventory_upload_slices', 'replaced_values'],
  ...[
    'field_mappings',
    'item_codes',
    'item_code_tables',
    'audit_log',
    'api_keys',
    'partners',
    'products',
    'locations',
    'workspace',
    'settings_changes',
  ],
]

const READER = ['orders', 'products', 'locations', 'inventory'].map(
  (resource) => `integrations.${resource}.read`,
)
const KEYS: [client: Client | 'follower', scopes: string[], more: Partial<Key>][] = [
  ['admin', ['settings.*', 'integrations.*'], {}],
  ['shop', ['integrations.*'], {}],
  ['plain', ['integrations.*'], {}],
  ['reader', READER, {}],
  // One object counts for all sequences.
  ['limited', ['integrations.*'], { rate_limit: 30_000, id: idOf('many') }],
  ['own', ['integrations.*', 'settings.audit.read'], { own_orders_only: true }],
  ['follower', READER, {}],
  ['expired', ['integrations.*'], { expires_at: '2020-01-01T00:00:00.000Z' }],
]

/** Empties the tenant's database, and fills in what every sequence begins with. */
export async function newWorld(tenant: Tenant, db: D1Database): Promise<World> {
  const partner = crypto.randomUUID()
  const minted = await Promise.all(KEYS.map(() => mintKey(tenant)))
  const stored = KEYS.map(([name, scopes, more], index): Key => {
    const { hash, hint } = minted[index] as MintedKey
    const partner_id = name === 'shop' || name === 'own' ? partner : null
    const ends = { expires_at: null, revoked_at: null, rotated_from: null, created_at: NOW }
    const held = {
      release: 'current',
      rate_limit: null,
      own_orders_only: false,
      reads: 'primary' as const,
      pause: null,
      version: 1,
    }
    return {
      id: crypto.randomUUID(),
      hash,
      hint,
      name,
      scopes,
      partner_id,
      ...ends,
      ...held,
      ...more,
    }
  })
  const state = beginning(tenant, partner, stored)
  const { results: left } = await db.prepare(INDEXES).all<{ name: string }>()
  await db.batch([
    ...left.map(({ name }) => db.prepare(`drop index "${name}"`)),
    ...fill(db, state),
  ])
  const keys = new Map<Client | 'follower', KnownKey>()
  for (const [index, [client]] of KEYS.entries()) {
    keys.set(client, { id: stored[index]?.id ?? '', value: minted[index]?.value ?? '' })
  }
  return { tenant, db, state, keys, partner }
}

function beginning(tenant: Tenant, partner: string, keys: Key[]): State {
  const [saved] = SAVED.orders
  return {
    workspace: {
      name: 'Test',
      tenant,
      integration_enabled: true,
      audit_retention_days: 365,
      audit_hot_days: 30,
      undo_days: 7,
      waiting_days: 30,
      low_stock_quantity: 10,
      keep_documents: null,
      pause: null,
      settings_version: 1,
      version: 1,
    },
    partners: new Map([
      [
        partner,
        {
          id: partner,
          name: 'North',
          default_identifier_field: 'external_order_id',
          keep_documents: null,
          pause: null,
          ...times,
          deleted_at: null,
          version: 1,
        },
      ],
    ]),
    itemCodes: new Map([
      [
        `${partner} products ${ITEM_CODE}`,
        { partner_id: partner, kind: 'products', code: ITEM_CODE, record_name: 'S-1', units: 1 },
      ],
    ]),
    itemCodeTables: new Map([
      [`${partner} products`, { partner_id: partner, kind: 'products', codes: 1 }],
    ]),
    mappings: new Map([
      [
        `${partner} orders`,
        {
          partner_id: partner,
          resource: 'orders',
          identifier_field: null,
          inbound: saved?.inbound as Rules,
          outbound: null,
          updated_at: NOW,
          version: 1,
        },
      ],
    ]),
    keys: new Map(keys.map((key) => [key.id, key])),
    products: new Map(['S-1', 'S-2'].map((sku) => [sku, productOf(sku)])),
    locations: new Map([
      ['L-1', { id: idOf('a'), code: 'L-1', ...names, metadata: null, is_active: true, ...fresh }],
    ]),
    orders: new Map([
      ['O-1', orderOf('O-1', null)],
      ['O-2', orderOf('O-2', partner)],
      // Only others have this external_order_id: a limited key finds none by it.
      ['O-6', orderOf('O-6', null, 'blue')],
    ]),
    stock: new Map([['L-1 S-1', { location_code: 'L-1', sku_code: 'S-1', quantity: 5 }]]),
    requests: new Map(),
    remembered: [0, 0],
  }
}

const times = { created_at: NOW, updated_at: NOW }
const fresh = { ...times, version: 1 }
const names = { name: null, zone: null, aisle: null }

/** ETags tell its beginning. */
function idOf(name: string): string {
  const bytes = Array.from(name.padStart(4), (letter) => letter.charCodeAt(0).toString(16))
  return `${bytes.join('').slice(-8)}-0000-4000-8000-000000000000`
}

function productOf(sku: string): Product {
  const fields = { quantity: 5, is_active: true, cost: null, custom_fields: {} }
  return { id: idOf(sku), sku, ...fields, ...fresh }
}

function orderOf(
  order_number: string,
  partner_id: string | null,
  external_order_id = 'red',
): Order {
  const fields = { customer_name: null, customer_info: null, notes: null, metadata: null }
  const dates = { order_date: null, due_date: null, cancelled_at: null, cancel_reason: null }
  const line: Line = {
    id: `line of ${order_number}`,
    sku_code: 'S-1',
    quantity: 2,
    notes: null,
    verified_quantity: 0,
    verification_status: 'pending',
  }
  return {
    id: idOf(order_number),
    order_number,
    external_order_id,
    partner_id,
    ...fields,
    ...dates,
    status: 'pending',
    ...fresh,
    lines: [line],
  }
}

function fill(db: D1Database, state: State): D1PreparedStatement[] {
  const { workspace } = state
  const orders = [...state.orders.values()]
  const lines = orders.flatMap(({ id, lines }) =>
    lines.map((line, position) => ({ order_id: id, position, ...line })),
  )
  const insert = (table: string, rows: object[]) => {
    const names = Object.keys(rows[0] ?? {})
    const values = names.map((name) => `value ->> '${name}'`)
    return db
      .prepare(`insert into ${table} (${names}) select ${values} from json_each(?)`)
      .bind(JSON.stringify(rows))
  }
  return [
    ...TABLES.map((table) => db.prepare(`delete from ${table}`)),
    insert('workspace', [{ ...workspace, id: 1, created_at: NOW, updated_at: NOW }]),
    insert('partners', [...state.partners.values()]),
    insert('field_mappings', [...state.mappings.values()]),
    insert('item_codes', [...state.itemCodes.values()]),
    insert('item_code_tables', [...state.itemCodeTables.values()]),
    insert('api_keys', [...state.keys.values()]),
    insert('products', [...state.products.values()]),
    insert('locations', [...state.locations.values()]),
    insert(
      'orders',
      orders.map(({ lines, ...order }) => order),
    ),
    insert('order_items', lines),
    insert('inventory', [...state.stock.values()]),
    // The rows above have moved them.
    ...['partners', 'field_mappings', 'api_keys'].map((table) =>
      db.prepare(`update ${table} set version = 1`),
    ),
    db.prepare('update workspace set settings_version = 1'),
    db.prepare('delete from settings_changes'),
    db.prepare('delete from settings_history'),
  ]
}

/** What the database holds, by table; rows in the order of their creation. */
export interface Contents {
  /** The rows of the sequence. */
  audit: AuditRow[]
  /** Those of the follower as well, who asks beside it. */
  log: AuditRow[]
  tables: Record<string, object[]>
}

/** Those of identifiers that settings name. */
const INDEXES = `select name from sqlite_master
  where type = 'index' and name glob tbl_name || '_by_*' order by name`

/** Those by which searches find orders. */
const WORDS = `select order_number, lower(word) as word from order_words left join orders on seq = order_seq
  order by order_number, lower(word)`

const ORDERED: [table: string, order: string][] = [
  ['workspace', 'id'],
  ['partners', 'seq'],
  ['field_mappings', 'partner_id, resource'],
  ['item_codes', 'partner_id, kind, code'],
  ['item_code_tables', 'partner_id, kind'],
  ['api_keys', 'seq'],
  ['products', 'seq'],
  ['locations', 'seq'],
  ['orders', 'seq'],
  ['order_items', 'order_id, position'],
  ['inventory', 'seq'],
  ['inventory_upload_slices', 'position'],
]

export async function readContents(db: D1Database, { keys }: World): Promise<Contents> {
  const follower = keys.get('follower')?.id
  const [audit, indexes, words, remembered, misplaced, ...results] = await db.batch<
    Json & AuditRow
  >([
    db.prepare('select * from audit_log order by seq'),
    db.prepare(INDEXES),
    db.prepare(WORDS),
    db.prepare(REMEMBERED),
    db.prepare(MISPLACED),
    ...ORDERED.map(([table, order]) => db.prepare(`select * from ${table} order by ${order}`)),
  ])
  const log = audit?.results ?? []
  const stock = results[ORDERED.findIndex(([table]) => table === 'inventory')]?.results ?? []
  const more = {
    indexes: indexes?.results ?? [],
    order_words: words?.results ?? [],
    replaced_values: rememberedIn((remembered?.results ?? []) as unknown as RememberedRow[], stock),
    misplaced: misplaced?.results ?? [],
  }
  const tables = ORDERED.map(([table], index) => [table, readable(results[index]?.results ?? [])])
  return {
    audit: log.filter((row) => row.api_key_id !== follower),
    log,
    tables: { ...Object.fromEntries(tables), ...more },
  }
}
