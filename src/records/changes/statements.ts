import { type SQL, sql } from 'drizzle-orm'
import { literal, type Prepared, prepared, qb } from '../../engine/db/prepared.ts'
import { auditLog, inventory, locations, orders, products } from '../../engine/db/tables.ts'
import { ITEM_COLUMNS, ITEMS_SIZE, RECORD_COLUMNS } from '../columns.ts'
import { FEED, type FeedPlace, type FeedResource, resourceAt, WHOLE } from './cursor.ts'
import {
  eachNamed,
  IN_LAST_REQUEST,
  IS_PASSED,
  IS_PASSED_OF_REST,
  IS_ROW,
  NAMED_SEQ,
  NO_SLICE,
  namedOr,
  OF_REST,
  REST,
  SLICE_VALUES,
  SLICES,
} from './stock.ts'

// A page is one merge of walks: along the indexes <table>_changed, and along the slices that name changed stock (stock.ts).
// All resources have their columns in the same places, c0 and on, since they are parts of one UNION ALL. D1 takes five:
// one for each resource, and one for the rest of the request in which the last page ended. That is a part of its own
// because SQLite uses the rowid at the end of an index for an equation and a range, but not for row values.

export const TABLES = { products, locations, orders }
const WIDTH = Math.max(...FEED.map((name) => feedColumns(name).length))
const INDEXES = Array.from({ length: WIDTH }, (_, at) => at)

const CHANGED_AT = {
  products: products.updated_at,
  locations: locations.updated_at,
  inventory: inventory.changed_at,
  orders: orders.updated_at,
}
const ORDERS = FEED.indexOf('orders')
const ORDER_ID = `c${feedColumns('orders').indexOf(orders.id)}`

const [atPlace, atSeq] = [sql.placeholder('at_place'), sql.placeholder('at_seq')]
const ordersOf = sql.placeholder('orders_of')
const isWide = sql`size > ${sql.placeholder('row_bytes_max')}`

/** The lines of an order of the page, in order, as arrays of the values of ITEM_COLUMNS. */
const LINES = sql.raw(`(select json_group_array(json_array(${Object.keys(ITEM_COLUMNS).join(', ')}))
  from (select * from order_items where order_id = page.${ORDER_ID} order by position))`)

/** `place` and `seq` are the record's. */
export interface FeedRow extends Pick<FeedPlace, 'place' | 'seq'> {
  request_id: string | null
  changed_at: string | null
  /** The size of the record in bytes if it is left out, else null. */
  wide_bytes: number | null
  /** The lines of an order that is not left out, as JSON. */
  lines: string | null
  /** The position of the slice that names the record, OF_REST for the rest of the stock, null for other resources. */
  slice: number | null
  /** 1 if the row only says how far the page has come. */
  is_passed: number
  /** The values of feedColumns, as the database has them. */
  [value: `c${number}`]: unknown
}

export function feedColumns(resource: FeedResource) {
  return Object.values(RECORD_COLUMNS[resource])
}

/** Records after the place `at_place` and `at_seq`; at most `rows` of them, and of the first `looked` ones. */
export function selectPage(resources: FeedResource[], at: FeedPlace): Prepared<FeedRow[]> {
  return statementFor('page', resources, at, writePage) as Prepared<FeedRow[]>
}

/** The place of the record number `looked` after that place; no row if there are fewer. */
export function selectEnd(resources: FeedResource[], at: FeedPlace) {
  type End = Pick<FeedPlace, 'place' | 'seq'>
  return statementFor('end', resources, at, ({ walks }) =>
    prepared(() =>
      qb
        .select({ place: sql<number>`place`.as('place'), seq: sql<number>`seq`.as('seq') })
        .from(sql`${merged(walks, () => sql``)} as page`)
        .limit(1)
        .offset(sql.placeholder('looked_before')),
    ),
  ) as Prepared<End[]>
}

/** The newest request. */
export const selectNewest = prepared(() =>
  qb.select({ request: sql<number>`coalesce(max(seq), 0)`.as('request') }).from(auditLog),
)

interface PartOfWalk {
  resource: FeedResource
  condition: SQL
}

interface PageParts {
  walks: PartOfWalk[]
  /** Where the page begins within the stock of a request, or with the rest of the stock. */
  stock: 'whole' | 'within' | 'rest' | 'none'
}

const written = new Map<string, Prepared<unknown[]>>()

/** Each set of resources has several statements: by the resource in which the last page ended, and with `rest` or without. */
function statementFor(
  kind: string,
  all: FeedResource[],
  at: FeedPlace,
  write: (parts: PageParts) => Prepared<unknown[]>,
): Prepared<unknown[]> {
  const last = at.seq < WHOLE ? resourceAt(at) : undefined
  const resources = at.rest ? all.filter((name) => name !== 'inventory') : all
  const name = [kind, last, at.rest !== null, ...resources].join()
  const statement = written.get(name) ?? write(partsOf(resources, last, at.rest !== null))
  written.set(name, statement)
  return statement
}

function partsOf(
  resources: FeedResource[],
  last: FeedResource | undefined,
  hasRest: boolean,
): PageParts {
  const after = hasRest
    ? sql`changed_place > ${atPlace} and changed_place <= ${sql.placeholder('until_place')}`
    : sql`changed_place > ${atPlace}`
  const inLast =
    last === 'inventory' ? IN_LAST_REQUEST : sql`changed_place = ${atPlace} and seq > ${atSeq}`
  const walks = resources.map((resource) => ({ resource, condition: after }))
  if (last) walks.unshift({ resource: last, condition: inLast })
  if (hasRest) return { walks, stock: 'rest' }
  if (!resources.includes('inventory')) return { walks, stock: 'none' }
  return { walks, stock: last === 'inventory' ? 'within' : 'whole' }
}

function merged(walks: PartOfWalk[], columnsOfRow: (resource: FeedResource) => SQL): SQL {
  const parts = walks.map(({ resource, condition }) =>
    resource === 'inventory'
      ? sql`select changed_place as place, position as seq ${columnsOfRow(resource)} from ${SLICES} and ${condition}`
      : sql`select changed_place as place, seq ${columnsOfRow(resource)} from ${TABLES[resource]} where ${condition}`,
  )
  return sql`(${sql.join(parts, sql` union all `)}
    order by place, seq limit ${sql.placeholder('looked')})`
}

/** What a page selects from, and how it differs. */
interface Source {
  from: SQL
  seq: SQL
  slice: SQL
  is_passed: SQL
  condition: SQL
  /** A value of the row, which the page has under its own name. */
  value: (column: string, own: SQL) => SQL
}

const OWN = { seq: sql`seq`, condition: sql`not hidden`, value: (_: string, own: SQL) => own }

function sourceOf({ walks, stock }: PageParts): Source {
  if (stock === 'none') {
    const from = sql`${merged(walks, columnsOfOther)} as page`
    return { ...OWN, from, slice: sql`null`, is_passed: sql`0` }
  }
  if (stock === 'rest') {
    const others = sql`select *, null as slice, 0 as is_passed from ${merged(walks, columnsOfOther)} union all`
    const rest = sql`select changed_place as place, seq ${columnsOfOther('inventory')},
      ${literal(OF_REST)} as slice, ${IS_PASSED_OF_REST} as is_passed from inventory where ${REST}`
    const from = sql`(${walks.length > 0 ? others : sql``} ${rest}) as page`
    return { ...OWN, from, slice: sql`slice`, is_passed: sql`is_passed` }
  }
  return {
    from: sql`${merged(walks, columnsOfSlices)} as page ${eachNamed(stock === 'within')}`,
    seq: NAMED_SEQ,
    slice: sql`iif(list is null, null, page.seq)`,
    is_passed: IS_PASSED,
    condition: sql`not hidden and ${IS_ROW}`,
    value: namedOr,
  }
}

function writePage(parts: PageParts): Prepared<FeedRow[]> {
  const { from, seq, slice, is_passed, condition, value } = sourceOf(parts)
  const stock = feedColumns('inventory')
  const values = INDEXES.map((at) => {
    const [name, own] = [stock[at]?.name, sql.raw(`c${at}`)]
    const shown = sql`case when not ${isWide} then ${name ? value(name, own) : own} end`
    return [`c${at}`, shown.as(`v${at}`)]
  })
  return prepared(() =>
    qb
      .select({
        place: sql<number>`place`.as('place'),
        seq: sql<number>`${seq}`.as('record_seq'),
        request_id: sql<string | null>`${value('changed_by', sql`page.changed_by`)}`.as('by'),
        changed_at: sql<string | null>`${value('changed_at', sql`page.changed_at`)}`.as('at'),
        wide_bytes: sql<number | null>`case when ${isWide} then size end`.as('wide_bytes'),
        lines: sql<string | null>`case when place % ${literal(FEED.length)} = ${literal(ORDERS)}
          and not ${isWide} then ${LINES} end`.as('lines'),
        slice: sql<number | null>`${slice}`.as('slice_position'),
        is_passed: sql<number>`${is_passed}`.as('passed'),
        ...Object.fromEntries(values),
      })
      .from(from)
      .where(condition)
      .limit(sql.placeholder('rows')),
  ) as never
}

/** Columns beside place and seq. */
function columnsOfOther(resource: FeedResource): SQL {
  const isOrder = resource === 'orders'
  const columns = feedColumns(resource)
  const hidden = isOrder ? sql`(${ordersOf} is not null and partner_id is not ${ordersOf})` : sql`0`
  const texts = columns.filter((column) => column.getSQLType() === 'text')
  const sizes = texts.map(({ name }) => sql`coalesce(octet_length(${sql.identifier(name)}), 0)`)
  const size = sql.join([...sizes, ...(isOrder ? [ITEMS_SIZE] : [])], sql` + `)
  const values = INDEXES.map((at) => {
    const column = columns[at]
    return sql`${column ? sql.identifier(column.name) : sql`null`} as ${sql.raw(`c${at}`)}`
  })
  return sql`, changed_by, ${sql.identifier(CHANGED_AT[resource].name)} as changed_at, ${hidden} as hidden,
    ${size} as size, ${sql.join(values, sql`, `)}`
}

/** The same for a merge with slices. Of those nothing is wide: the codes of a pair have at most 2 KB. */
function columnsOfSlices(resource: FeedResource): SQL {
  if (resource !== 'inventory') return sql`${columnsOfOther(resource)}, ${NO_SLICE}`
  const values = INDEXES.map((at) => sql.raw(`null as c${at}`))
  return sql`, null as changed_by, null as changed_at, 0 as hidden, 0 as size, ${sql.join(values, sql`, `)},
    ${SLICE_VALUES}`
}
