import { type SQL, sql } from 'drizzle-orm'
import { type Prepared, prepared, qb } from '../../db/prepared.ts'
import { auditLog, inventory, locations, orders, products } from '../../db/tables.ts'
import { ITEM_COLUMNS, ITEMS_SIZE, RECORD_COLUMNS } from '../columns.ts'
import { FEED, type FeedResource, type Place, resourceAt } from './cursor.ts'

// A page is one merge of walks along the indexes <table>_changed. All resources have their columns in the same places,
// c0 and on, since they are parts of one UNION ALL. D1 takes five: one for each resource, and one for the rest of the
// request in which the last page ended. That is a part of its own because SQLite uses the rowid at the end of an index
// for an equation and a range, but not for row values.

const TABLES = { products, locations, inventory, orders }
const WIDTH = Math.max(...FEED.map((name) => columnsOf(name).length))

const CHANGED_AT = {
  products: products.updated_at,
  locations: locations.updated_at,
  inventory: inventory.changed_at,
  orders: orders.updated_at,
}
const ORDERS = FEED.indexOf('orders')
const ORDER_ID = `c${columnsOf('orders').indexOf(orders.id)}`

const [atPlace, atSeq] = [sql.placeholder('at_place'), sql.placeholder('at_seq')]
const ordersOf = sql.placeholder('orders_of')
const isWide = sql`size > ${sql.placeholder('row_bytes_max')}`

/** The lines of an order of the page, in order, as arrays of the values of ITEM_COLUMNS. */
const LINES = sql.raw(`(select json_group_array(json_array(${Object.keys(ITEM_COLUMNS).join(', ')}))
  from (select * from order_items where order_id = page.${ORDER_ID} order by position))`)

export interface FeedRow extends Place {
  request_id: string | null
  changed_at: string | null
  /** The size of the record in bytes if it is left out, else null. */
  wide_bytes: number | null
  /** The lines of an order that is not left out, as JSON. */
  lines: string | null
  /** The values of columnsOf, as the database has them. */
  [value: `c${number}`]: unknown
}

export function columnsOf(resource: FeedResource) {
  return Object.values(RECORD_COLUMNS[resource])
}

/** Records after the place `at_place` and `at_seq`; at most `rows` of them, and of the first `looked` ones. */
export function selectPage(resources: FeedResource[], at: Place): Prepared<FeedRow[]> {
  return statementFor('page', resources, at, writePage) as Prepared<FeedRow[]>
}

/** The place of the record number `looked` after that place; no row if there are fewer. */
export function selectEnd(resources: FeedResource[], at: Place): Prepared<Place[]> {
  return statementFor('end', resources, at, (walks) =>
    prepared(
      qb
        .select({ place: sql<number>`place`.as('place'), seq: sql<number>`seq`.as('seq') })
        .from(merged(walks, () => sql`changed_place as place, seq`))
        .limit(1)
        .offset(sql.placeholder('looked_before')),
    ),
  ) as Prepared<Place[]>
}

/** The newest request. */
export const selectNewest = prepared(
  qb.select({ request: sql<number>`coalesce(max(seq), 0)`.as('request') }).from(auditLog),
)

interface PartOfWalk {
  resource: FeedResource
  condition: SQL
}

const written = new Map<string, Prepared<unknown[]>>()

/** There is one for each set of resources, with the rest of a request of each of them or without. */
function statementFor(
  kind: string,
  resources: FeedResource[],
  at: Place,
  write: (walks: PartOfWalk[]) => Prepared<unknown[]>,
): Prepared<unknown[]> {
  const rest = at.seq < Number.MAX_SAFE_INTEGER ? resourceAt(at) : undefined
  const name = [kind, rest, ...resources].join()
  const statement =
    written.get(name) ??
    write([
      ...(rest
        ? [{ resource: rest, condition: sql`changed_place = ${atPlace} and seq > ${atSeq}` }]
        : []),
      ...resources.map((resource) => ({ resource, condition: sql`changed_place > ${atPlace}` })),
    ])
  written.set(name, statement)
  return statement
}

function merged(walks: PartOfWalk[], columns: (resource: FeedResource) => SQL): SQL {
  const parts = walks.map(
    ({ resource, condition }) =>
      sql`select ${columns(resource)} from ${TABLES[resource]} where ${condition}`,
  )
  return sql`(${sql.join(parts, sql` union all `)}
    order by place, seq limit ${sql.placeholder('looked')}) as page`
}

function writePage(walks: PartOfWalk[]): Prepared<FeedRow[]> {
  const values = Array.from({ length: WIDTH }, (_, at) => sql.raw(`c${at}`))
  const shown = values.map((value) => sql`case when not ${isWide} then ${value} end`)
  return prepared(
    qb
      .select({
        place: sql<number>`place`.as('place'),
        seq: sql<number>`seq`.as('seq'),
        request_id: sql<string | null>`changed_by`.as('request_id'),
        changed_at: sql<string | null>`changed_at`.as('changed_at'),
        wide_bytes: sql<number | null>`case when ${isWide} then size end`.as('wide_bytes'),
        lines: sql<
          string | null
        >`case when place % ${sql.raw(String(FEED.length))} = ${sql.raw(String(ORDERS))}
          and not ${isWide} then ${LINES} end`.as('lines'),
        ...Object.fromEntries(shown.map((value, at) => [`c${at}`, value.as(`v${at}`)])),
      })
      .from(merged(walks, columnsInWalk))
      .where(sql`not hidden`)
      .limit(sql.placeholder('rows')),
  ) as never
}

function columnsInWalk(resource: FeedResource): SQL {
  const isOrder = resource === 'orders'
  const columns = columnsOf(resource)
  const hidden = isOrder ? sql`(${ordersOf} is not null and partner_id is not ${ordersOf})` : sql`0`
  const texts = columns.filter((column) => column.getSQLType() === 'text')
  const sizes = texts.map(({ name }) => sql`coalesce(octet_length(${sql.identifier(name)}), 0)`)
  const size = sql.join([...sizes, ...(isOrder ? [ITEMS_SIZE] : [])], sql` + `)
  const values = Array.from({ length: WIDTH }, (_, at) => {
    const column = columns[at]
    return sql`${column ? sql.identifier(column.name) : sql`null`} as ${sql.raw(`c${at}`)}`
  })
  return sql`changed_place as place, seq, changed_by, ${sql.identifier(CHANGED_AT[resource].name)} as changed_at, ${hidden} as hidden,
    ${size} as size, ${sql.join(values, sql`, `)}`
}
