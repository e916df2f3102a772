import { type GetColumnData, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { Page } from '../json/pagination.ts'
import { placeAt, placeCursor, type Searched, type SearchPlace } from '../json/search/place.ts'
import { endOfPrefix, endOfPrefixAnyCase } from '../json/search/prefix.ts'
import { Prepared, qb } from './prepared.ts'

// A search walks along several indexes, one step after the other: first the records of which a text is exactly the
// one that is searched, by each index, and then those of which one only begins with it. All steps are one statement.
// SQLite runs the parts of a UNION ALL in order and stops at the limit, so a page reads the rows that it shows, and
// those that it has shown already because they match in an earlier step too.

/** D1 takes so many parts of a UNION, which may be such groups themselves. */
const PARTS_MAX = 5
/** Of a value in a free object a page shows so much. */
const SHOWN_MAX = 255

/** An index along which a search walks. */
export interface Walk {
  /** The field that is searched. */
  field: string
  /** The index's first expression. */
  value: SQL
  /** The text to find; by default that of the search. */
  text?: string
  anyCase?: boolean
  /** Set if the index may be dropped at any time. Without it the statement fails: it never reads the whole table. */
  index?: string
  /** Whether what begins with the text is in descending order of it. */
  isDescending?: boolean
  /** The order of records with the same text, newest first: the rest of the index. */
  newest: SQL
  /** The condition that a record with the same text comes after the one with the seq AT_SEQ. */
  after: SQL
}

/** The row at which the last page ended. */
export const AT_SEQ = sql.raw(`cast(?1 ->> 'seq' as integer)`)
/** The value of a step's walk. In a condition SQLite takes the name for the expression, and finds the index. */
const FOUND = sql`found`
const CURSOR_TEXT = sql.raw(`(?1 ->> 'text')`)

type Columns = Record<string, SQLiteColumn>

interface Searching {
  table: string
  /** The columns to show. */
  columns: Columns
  /** Other columns that `value` of a walk refers to. */
  used?: string[]
  walks: Walk[]
}

/** What the statement gives besides the columns. */
interface Found {
  seq: number
  step: number
  /** The first step of which the row is a result. */
  first_step: number
  /** What matches. */
  found: string
}

export interface SearchRequest {
  tenant: string
  text: string
  limit: number
  cursor?: string | undefined
}

/** A record that a search has found. */
export interface Match {
  /** The field that matches. */
  field: string
  /** The field's text, or the beginning of a long one. */
  found: string
  isExact: boolean
}

/** One page of a search: its statement, and what its rows become. With a limit of 0 it reads nothing. */
export function searchAlong<C extends Columns>(
  searching: Searching & { columns: C },
  request: SearchRequest,
) {
  type Row = Found & { [Name in keyof C]: GetColumnData<C[Name]> }
  const statement = selectPage(searching, request)
  // Drizzle's types do not follow columns that a caller gives.
  const query = new Prepared<Row[]>(() => statement.prepare())
  return { query, pageOf: (rows: Row[]) => pageOf(searching, request, rows) }
}

/** One row more than the limit, if there are more. */
function selectPage(searching: Searching, request: SearchRequest) {
  const { columns, walks } = searching
  const rows = request.limit === 0 ? 0 : request.limit + 1
  const place = placeIn(searching, request)
  const parts = stepsFrom(searching, place).map((step) => selectStep(searching, step, rows))
  const shown = Object.entries(columns).map(([name, column]) => [
    name,
    sql`${sql.identifier(name)}`.mapWith(column).as(name),
  ])
  return qb
    .select({
      seq: sql<number>`seq`.as('seq'),
      step: sql<number>`step`.as('step'),
      first_step: sql<number>`first_step`.as('first_step'),
      found: sql<string>`substr(found, 1, ${literal(SHOWN_MAX)})`.as('found'),
      ...Object.fromEntries(shown),
    })
    .from(
      sql`(select ${givenBy(walks, request, place)} as given, *, ${firstStep(walks)} as first_step
        from (select *, ${valuesOf(walks)} from (${inGroups(parts)})))`,
    )
    .limit(rows)
}

function selectStep(
  { table, columns, used = [] }: Searching,
  { step, walk, condition, order }: Step,
  rows: number,
): SQL {
  const names = [...new Set([...Object.keys(columns), ...used])].map((name) => sql.identifier(name))
  const index = walk.index === undefined ? sql`` : sql`indexed by ${sql.identifier(walk.index)}`
  return sql`select * from (
    select ${literal(step)} as step, ${walk.value} as found, ${sql.join([sql`seq`, ...names], sql`, `)}
    from ${sql.identifier(table)} ${index} where ${condition} order by ${order} limit ${literal(rows)})`
}

/** The texts of all walks. A statement has at most 100 parameters, so this is the first one, ?1. */
function givenBy(walks: Walk[], request: SearchRequest, place: SearchPlace | null): string {
  const texts = walks.map(({ text = request.text }) => text)
  const ends = texts.map((text, at) =>
    walks[at]?.anyCase ? endOfPrefixAnyCase(text) : endOfPrefix(text),
  )
  return JSON.stringify({ texts, ends, ...place })
}

/** The page of these rows. An empty one may have a next page: all its rows were on earlier ones. */
function pageOf<Row extends Found>(
  searching: Searching,
  request: SearchRequest,
  rows: Row[],
): Page<Omit<Row, keyof Found> & Match> {
  const { walks } = searching
  const { limit } = request
  const kept = rows.slice(0, limit)
  const last = rows.length > limit ? kept.at(-1) : undefined
  const matches = kept
    .filter(({ step, first_step }) => step === first_step)
    .map(({ seq, step, first_step, found, ...record }) => {
      const field = walks[step % walks.length]?.field ?? ''
      return { ...record, field, found, isExact: step < walks.length }
    })
  const next_cursor = last
    ? placeCursor(searchedBy(searching, request), { ...last, text: last.found })
    : null
  return { rows: matches, next_cursor }
}

function placeIn(searching: Searching, request: SearchRequest): SearchPlace | null {
  const { cursor } = request
  return cursor === undefined ? null : placeAt(searchedBy(searching, request), cursor)
}

function searchedBy({ table, walks }: Searching, { tenant, text }: SearchRequest): Searched {
  return { tenant, text, resource: table, walks: walks.map(({ field }) => field) }
}

interface Step {
  step: number
  walk: Walk
  condition: SQL
  order: SQL
}

/** The steps after the place. A page that begins in the middle of the same texts reads the rest of them first. */
function stepsFrom({ table, walks }: Searching, place: SearchPlace | null): Step[] {
  const exact = walks.map((walk, step) => ({ step, walk }))
  const longer = walks.map((walk, at) => ({ step: walks.length + at, walk }))
  const first = place?.step ?? 0
  const isFirst = (step: number) => place !== null && step === first
  return [
    ...exact.map(({ step, walk }) =>
      same(step, walk, givenAt('texts', step), isFirst(step) ? walk.after : undefined),
    ),
    ...longer.flatMap(({ step, walk }, at) =>
      isFirst(step)
        ? [
            same(step, walk, reachedIn(table, walk), walk.after),
            longerThan(step, walk, at, reachedIn(table, walk)),
          ]
        : [longerThan(step, walk, at)],
    ),
  ].filter(({ step }) => step >= first)
}

/**
 * The text at which the last page ended. A cursor holds its first 255 characters, and only what stands before a U+0000.
 * So the text is read from the last row of that page, unless that row has another text by now.
 */
function reachedIn(table: string, { value }: Walk): SQL {
  return sql`coalesce((select ${value} from ${sql.identifier(table)}
    where seq = ${AT_SEQ} and substr(${value}, 1, ${literal(SHOWN_MAX)}) = ${CURSOR_TEXT}), ${CURSOR_TEXT})`
}

function same(step: number, walk: Walk, text: SQL, after?: SQL): Step {
  const condition = sql`${compared(FOUND, walk, sql`=`, text)}${after ? sql` and ${after}` : sql``}`
  return { step, walk, condition, order: walk.newest }
}

function longerThan(step: number, walk: Walk, at: number, reached?: SQL): Step {
  const order = sql`${FOUND}${collation(walk)} ${walk.isDescending ? sql`desc` : sql``}, ${walk.newest}`
  return { step, walk, condition: isLonger(FOUND, walk, at, reached), order }
}

/** Begins with the text, has more, and is beyond what the last page has reached. */
function isLonger(value: SQL, walk: Walk, at: number, reached?: SQL): SQL {
  const least = walk.isDescending ? undefined : reached
  const end = walk.isDescending ? reached : undefined
  return sql`${compared(value, walk, sql`>`, least ?? givenAt('texts', at))}
    and ${compared(value, walk, sql`<`, end ?? givenAt('ends', at))}`
}

/** The first of all steps that gives the row. A row is shown there, and passed over in later ones. */
function firstStep(walks: Walk[]) {
  const conditions = [
    ...walks.map((walk, at) => compared(nameOf(at), walk, sql`=`, givenAt('texts', at))),
    ...walks.map((walk, at) => isLonger(nameOf(at), walk, at)),
  ]
  const cases = conditions.map((condition, step) => sql`when ${condition} then ${literal(step)}`)
  return sql`case ${sql.join(cases, sql` `)} end`
}

/** The values of all walks, each written once: with long keys a statement would exceed its 100 KB. */
function valuesOf(walks: Walk[]): SQL {
  return sql.join(
    walks.map(({ value }, at) => sql`${value} as ${nameOf(at)}`),
    sql`, `,
  )
}

function nameOf(at: number): SQL {
  return sql.raw(`value_${at}`)
}

function compared(value: SQL, walk: Walk, operator: SQL, text: SQL): SQL {
  return sql`${value} ${operator} ${text}${collation(walk)}`
}

function collation({ anyCase }: Walk): SQL {
  return anyCase ? sql` collate nocase` : sql``
}

function givenAt(name: 'texts' | 'ends', at: number): SQL {
  return sql.raw(`(?1 ->> '$.${name}[${at}]')`)
}

/** No parameter: see givenBy. */
function literal(number: number): SQL {
  return sql.raw(String(number))
}

/** UNION ALL of the parts, in their order. */
function inGroups(parts: SQL[]): SQL {
  if (parts.length <= PARTS_MAX) return sql.join(parts, sql` union all `)
  const size = Math.ceil(parts.length / PARTS_MAX)
  const groups: SQL[] = []
  for (let at = 0; at < parts.length; at += size) {
    groups.push(sql`select * from (${inGroups(parts.slice(at, at + size))})`)
  }
  return sql.join(groups, sql` union all `)
}
