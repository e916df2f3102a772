import { type GetColumnData, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { Page } from '../json/pagination.ts'
import { placeAt, placeCursor, type Searched, type SearchPlace } from '../json/search/place.ts'
import { endOfPrefix, endOfPrefixAnyCase } from '../json/search/prefix.ts'
import { isWordEnd, type NameFromWord, shownWord } from '../json/search/words.ts'
import { literal, Prepared, qb } from './prepared.ts'

// A search walks along several indexes, one step after the other: first the records of which a text is exactly the
// one that is searched, by each index, then those of which one only begins with it, and then those of which a later word
// does. All steps are one statement.
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

/** A table of the later words of names, which has the text from each of them on. */
export interface Words {
  table: string
  /** The column of the text, compared in any case of A to Z. */
  word: string
  /** The column of the record's seq. */
  of: string
  /** The texts to find: one for each way to write the letters beyond ASCII. */
  texts: string[]
  /** The words that the table has of a record. */
  wordsOf: (record: never) => NameFromWord[]
}

interface Searching {
  table: string
  /** The columns to show. */
  columns: Columns
  /** Other columns that `value` of a walk refers to. */
  used?: string[]
  walks: Walk[]
  words?: Words
}

/** What the statement gives besides the columns. */
interface Found {
  seq: number
  step: number
  /** The first step of a walk of which the row is a result. Null: it is a result of words only. */
  first_step: number | null
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
  /** Whether it is a later word of the field that matches. Then isExact is true if the whole word does. */
  isInside: boolean
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
  const steps = [...stepsFrom(searching, place), ...wordStepsFrom(searching, place)]
  const parts = steps.map((step) => selectStep(searching, step, rows))
  const shown = Object.entries(columns).map(([name, column]) => [
    name,
    sql`${sql.identifier(name)}`.mapWith(column).as(name),
  ])
  return qb
    .select({
      seq: sql<number>`seq`.as('seq'),
      step: sql<number>`step`.as('step'),
      first_step: sql<number | null>`first_step`.as('first_step'),
      found: sql<string>`substr(found, 1, ${literal(SHOWN_MAX)})`.as('found'),
      ...Object.fromEntries(shown),
    })
    .from(
      sql`(select ${givenBy(searching, request, place)} as given, *, ${firstStep(walks)} as first_step
        from (select *, ${valuesOf(walks)} from (${inGroups(parts)})))`,
    )
    .limit(rows)
}

function selectStep(
  { columns, used = [] }: Searching,
  { step, value, from, condition, order }: Step,
  rows: number,
): SQL {
  const names = [...new Set([...Object.keys(columns), ...used])].map((name) => sql.identifier(name))
  return sql`select * from (
    select ${literal(step)} as step, ${value} as found, ${sql.join([sql`seq`, ...names], sql`, `)}
    from ${from} where ${condition} order by ${order} limit ${literal(rows)})`
}

/** The texts of all walks and words. A statement has at most 100 parameters, so this is the first one, ?1. */
function givenBy(
  { walks, words }: Searching,
  request: SearchRequest,
  place: SearchPlace | null,
): string {
  const texts = walks.map(({ text = request.text }) => text)
  const ends = texts.map((text, at) =>
    walks[at]?.anyCase ? endOfPrefixAnyCase(text) : endOfPrefix(text),
  )
  const ofWords = words?.texts ?? []
  return JSON.stringify({
    texts: [...texts, ...ofWords],
    ends: [...ends, ...ofWords.map(endOfPrefixAnyCase)],
    ...place,
  })
}

/** The page of these rows. An empty one may have a next page: all its rows were on earlier ones. */
function pageOf<Row extends Found>(
  searching: Searching,
  request: SearchRequest,
  rows: Row[],
): Page<Omit<Row, keyof Found> & Match> {
  const { limit } = request
  const kept = rows.slice(0, limit)
  const last = rows.length > limit ? kept.at(-1) : undefined
  const matches = kept.flatMap((row) => {
    const match = matchOf(searching, row)
    const { seq, step, first_step, found, ...record } = row
    return match ? [{ ...record, ...match }] : []
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

function searchedBy({ table, walks, words }: Searching, { tenant, text }: SearchRequest): Searched {
  const ofWords = (words?.texts ?? []).map(() => words?.table ?? '')
  const steps = 2 * walks.length + ofWords.length
  const names = [...walks.map(({ field }) => field), ...ofWords]
  return { tenant, text, resource: table, walks: names, steps }
}

/** What of the row matches; null if an earlier step has shown it. */
function matchOf<Row extends Found>({ walks, words }: Searching, row: Row): Match | null {
  const { step, first_step, found } = row
  if (first_step !== null) {
    if (step !== first_step) return null
    const field = walks[step % walks.length]?.field ?? ''
    return { field, found, isExact: step < walks.length, isInside: false }
  }
  if (!words) return null
  const at = step - 2 * walks.length
  const word = shownWord(words.wordsOf(row as never), words.texts, { at, found })
  if (!word) return null
  const isExact = isWordEnd(found, [...(words.texts[at] ?? '')].length)
  return { field: word.field, found, isExact, isInside: true }
}

interface Step {
  step: number
  value: SQL
  from: SQL
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
      same(table, step, walk, givenAt('texts', step), isFirst(step) ? walk.after : undefined),
    ),
    ...longer.flatMap(({ step, walk }, at) =>
      isFirst(step)
        ? [
            same(table, step, walk, reachedIn(table, walk), walk.after),
            longerThan(table, step, walk, at, reachedIn(table, walk)),
          ]
        : [longerThan(table, step, walk, at)],
    ),
  ].filter(({ step }) => step >= first)
}

/** The same of words. Each of them leads to its record, so that a row shown is two rows read. */
function wordStepsFrom({ table, walks, words }: Searching, place: SearchPlace | null): Step[] {
  if (!words) return []
  const [word, of] = [sql.identifier(words.word), sql.identifier(words.of)]
  const from = sql`${sql.identifier(words.table)} cross join ${sql.identifier(table)} on seq = ${of}`
  const order = sql`${word}, ${of} desc`
  const first = place?.step ?? 0
  return words.texts.flatMap((_, variant) => {
    const at = walks.length + variant
    const step = walks.length + at
    const own = { step, value: sql`${word}`, from, order }
    const isBefore = sql`${word} < ${givenAt('ends', at)}`
    if (step < first) return []
    if (step > first || !place)
      return [{ ...own, condition: sql`${word} >= ${givenAt('texts', at)} and ${isBefore}` }]
    return [
      { ...own, condition: sql`${word} = ${CURSOR_TEXT} and ${of} < ${AT_SEQ}` },
      { ...own, condition: sql`${word} > ${CURSOR_TEXT} and ${isBefore}` },
    ]
  })
}

/**
 * The text at which the last page ended. A cursor holds its first 255 characters, and only what stands before a U+0000.
 * So the text is read from the last row of that page, unless that row has another text by now.
 */
function reachedIn(table: string, { value }: Walk): SQL {
  return sql`coalesce((select ${value} from ${sql.identifier(table)}
    where seq = ${AT_SEQ} and substr(${value}, 1, ${literal(SHOWN_MAX)}) = ${CURSOR_TEXT}), ${CURSOR_TEXT})`
}

function same(table: string, step: number, walk: Walk, text: SQL, after?: SQL): Step {
  const condition = sql`${compared(FOUND, walk, sql`=`, text)}${after ? sql` and ${after}` : sql``}`
  return { step, value: walk.value, from: fromIndex(table, walk), condition, order: walk.newest }
}

function longerThan(table: string, step: number, walk: Walk, at: number, reached?: SQL): Step {
  const { value, newest, isDescending } = walk
  const order = sql`${FOUND}${collation(walk)} ${isDescending ? sql`desc` : sql``}, ${newest}`
  const condition = isLonger(FOUND, walk, at, reached)
  return { step, value, from: fromIndex(table, walk), condition, order }
}

function fromIndex(table: string, { index }: Walk): SQL {
  const indexed = index === undefined ? sql`` : sql`indexed by ${sql.identifier(index)}`
  return sql`${sql.identifier(table)} ${indexed}`
}

/** Begins with the text, has more, and is beyond what the last page has reached. */
function isLonger(value: SQL, walk: Walk, at: number, reached?: SQL): SQL {
  const least = walk.isDescending ? undefined : reached
  const end = walk.isDescending ? reached : undefined
  return sql`${compared(value, walk, sql`>`, least ?? givenAt('texts', at))}
    and ${compared(value, walk, sql`<`, end ?? givenAt('ends', at))}`
}

/** The first step of all walks that gives the row. A row is shown there, and passed over in later ones. */
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
