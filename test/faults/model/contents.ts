import { wordsOf } from '../../../src/engine/json/search/words.ts'
import { indexesOf } from './identifiers.ts'
import { ANYTHING } from './matching.ts'
import type { Remembered } from './remembered.ts'
import { isForgotten } from './replaced.ts'
import type { Json, State } from './state.ts'

/** The tables of a database that holds this state, as it would show them. */
export function contentsOf(state: State): Record<string, unknown[]> {
  const { workspace, partners, mappings, keys, products, locations, orders, stock } = state
  const flags = ({ is_active, ...record }: { is_active: boolean }) => ({
    ...record,
    is_active: Number(is_active),
  })
  const lines = [...orders.values()].flatMap(({ id, lines }) =>
    lines.map((line, position) => ({ order_id: id, position, ...line })),
  )
  return {
    workspace: [
      {
        ...workspace,
        id: 1,
        integration_enabled: Number(workspace.integration_enabled),
        remembered_since: ANYTHING,
        backed_up_at: null,
        created_at: ANYTHING,
        updated_at: ANYTHING,
      },
    ],
    partners: [...partners.values()],
    field_mappings: inOrder(mappings),
    item_codes: inOrder(state.itemCodes),
    item_code_tables: inOrder(state.itemCodeTables).map((table) => ({ ...table, ...COUNTED })),
    api_keys: [...keys.values()].map(({ own_orders_only, ...key }) => ({
      ...key,
      own_orders_only: Number(own_orders_only),
      // The model makes no webhooks.
      webhook: null,
      webhook_secrets: null,
      email: null,
    })),
    products: [...products.values()].map(flags),
    locations: [...locations.values()].map(flags),
    orders: [...orders.values()].map(({ lines, ...order }) => ({
      ...order,
      items_bytes: ANYTHING,
    })),
    order_words: wordsIn(state),
    order_items: lines.sort((one, other) => compare(one, other)),
    inventory: [...stock.values()],
    inventory_upload_slices: [],
    replaced_values: replacedIn(state),
    misplaced: [],
    indexes: indexesOf(state),
  }
}

/** In the order in which world.ts reads them. Two that differ in the case of A to Z are one. */
function wordsIn({ orders }: State) {
  const words = [...orders.values()].flatMap((order) =>
    wordsOf(order).map(({ text }) => {
      const word = text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
      return JSON.stringify({ order_number: order.order_number, word })
    }),
  )
  const bytes = (json: string) => Buffer.from(Object.values(JSON.parse(json)).join('\u0000'))
  return [...new Set(words)]
    .toSorted((one, other) => Buffer.compare(bytes(one), bytes(other)))
    .map((json) => JSON.parse(json))
}

/** What a table of codes says of its last change. */
const COUNTED = { version: ANYTHING, created: ANYTHING, updated: ANYTHING, removed: ANYTHING }

function inOrder<Row>(rows: ReadonlyMap<string, Row>): Row[] {
  return [...rows].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row)
}

/** The same after a write found the database full, which may delete what is forgotten: `found` tells whether it did. */
export function contentsWithRoom(state: State, found: Record<string, unknown[]>) {
  const kept = new Set((found.replaced_values as Remembered[]).map(({ request_id }) => request_id))
  const contents = contentsOf(state)
  const stays = ({ request_id }: Remembered) => {
    const request = state.requests.get(request_id)
    return kept.has(request_id) || !request || isForgotten(state, request) === false
  }
  return { ...contents, replaced_values: replacedIn(state).filter(stays) }
}

/** In the order of requests, as `remembered.ts` reads them. */
function replacedIn({ requests }: State): Remembered[] {
  return [...requests.values()].flatMap(({ request_id, replaced }): Remembered[] => {
    if (!replaced) return []
    const { resource } = replaced
    if (resource === 'inventory') return [{ request_id, resource, pairs: replaced.slices.flat() }]
    const { id, version } = replaced.after
    return [{ request_id, resource, id, version }]
  })
}

function compare(one: { order_id: string; position: number }, other: typeof one): number {
  if (one.order_id !== other.order_id) return one.order_id < other.order_id ? -1 : 1
  return one.position - other.position
}

const JSON_COLUMNS = [
  'custom_fields',
  'metadata',
  'customer_info',
  'inbound',
  'outbound',
  'scopes',
  'keep_documents',
  'pause',
]

/** The feed tells these: follower.ts. */
function withoutPlace({
  changed_in,
  changed_by,
  changed_at,
  changed_place,
  changes_epoch,
  stock_listed_after,
  ...row
}: Json): Json {
  return row
}

/** Rows as they are read, with their JSON read as well and without the order of their creation. */
export function readable(rows: Json[]): Json[] {
  return rows.map(({ seq, created_seq, ...all }) => {
    const row = withoutPlace(all)
    for (const name of JSON_COLUMNS) {
      if (typeof row[name] === 'string') row[name] = JSON.parse(row[name])
    }
    return row
  })
}
