import { getTableColumns, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { jsonParts } from '../../engine/db/json-parts.ts'
import { literal, prepared, qb } from '../../engine/db/prepared.ts'
import type { TenantDatabase } from '../../engine/db/transact.ts'
import { versionName } from '../../engine/json/entity-tags.ts'
import type { Field } from '../../engine/model/fields.ts'
import { fieldNames } from '../../engine/model/record.ts'
import type { Kind } from './kind.ts'
import { tableColumn } from './statements.ts'

/** What somebody says of the record with this name. */
export interface SaidOfRecord {
  /** Its place among those that are compared. */
  at: number
  name: string
  /** The fields of a PUT. Where they can be understood in several ways, one of these is enough to be the same. */
  fields: Record<string, unknown>[]
}

/** The stored record of that name. */
export interface ComparedRecord {
  at: number
  id: string
  /** As versionName gives it. */
  version: string
  /** The fields that are not as they are said to be. */
  differing: string[]
}

// White space as JavaScript trims it.
const SPACES = sql.raw(
  'char(9,10,11,12,13,32,160,5760,8192,8193,8194,8195,8196,8197,8198,8199,8200,8201,8202,8232,8233,8239,8287,12288,65279)',
)

/**
 * Compares records with the stored ones that have their names; those that are not there are left out. Line breaks, white
 * space at the ends of a text and zeros at the end of a decimal make no difference: spreadsheets change them.
 */
export async function compareRecords(
  db: TenantDatabase,
  kind: Kind,
  said: readonly SaidOfRecord[],
): Promise<Map<number, ComparedRecord>> {
  const names = comparedNames(kind)
  const asked = said.map(({ at, name, fields }) => ({ at, name, ...storedForms(kind, fields) }))
  const parts = await jsonParts(asked, db.pace)
  if (parts.length === 0) await db.confirm()
  const select = statementOf(kind)
  const found = new Map<number, ComparedRecord>()
  for (const part of parts) {
    const [rows] = await db.read([select.with({ asked: part })])
    for (const { at, id, version, differing } of rows) {
      const isOther = (_: string, place: number) => (differing & (1 << place)) !== 0
      const compared = { at, id, version: versionName({ id, version }) }
      found.set(at, { ...compared, differing: names.filter(isOther) })
    }
  }
  return found
}

/** The fields that a PUT may change, in their order. */
export function comparedNames({ record }: Kind): string[] {
  return fieldNames(record.fields, ({ update }) => update !== null)
}

/** The fields that a PUT may change of these records, by id, as texts of at most so many characters. */
export async function readTexts(
  db: TenantDatabase,
  { table, ...kind }: Kind,
  ids: readonly string[],
  lengthMax: number,
): Promise<Map<string, Record<string, string | null>>> {
  if (ids.length === 0) return new Map()
  const columns = Object.fromEntries(
    comparedNames({ table, ...kind }).map((name) => {
      const column = tableColumn(table, name)
      const text = sql<string | null>`substr(${column}, 1, ${literal(lengthMax)})`
      return [name, text.as(`text_${name}`)]
    }),
  )
  const [rows] = await db.read([
    qb
      .select({ id: table.id, ...columns })
      .from(table)
      .where(sql`${table.id} in (select value from json_each(${JSON.stringify(ids)}))`),
  ])
  return new Map(rows.map(({ id, ...texts }) => [id, texts as Record<string, string | null>]))
}

/** By field, the values of its column that are the same. */
function storedForms({ record, table }: Kind, fields: Record<string, unknown>[]) {
  const columns = getTableColumns(table)
  const forms: Record<string, unknown[]> = {}
  for (const [name, value] of fields.flatMap((one) => Object.entries(one))) {
    const column = columns[name]
    if (!column || value === undefined) continue
    const stored = value === null ? null : column.mapToDriverValue(value)
    forms[name] = [...(forms[name] ?? []), plain(record.fields[name], stored)]
  }
  return { fields: forms }
}

function plain(field: Field | undefined, value: unknown): unknown {
  if (typeof value !== 'string') return value
  if (field?.kind === 'decimal') return value.includes('.') ? value.replace(/\.?0+$/, '') : value
  return field?.kind === 'text' ? value.replaceAll(/\r\n?/g, '\n').trim() : value
}

function plainColumn(column: SQLiteColumn, { kind }: Field): SQL {
  if (kind === 'decimal') {
    return sql`iif(instr(${column}, '.') > 0, rtrim(rtrim(${column}, '0'), '.'), ${column})`
  }
  if (kind !== 'text') return sql`${column}`
  return sql`trim(replace(replace(${column}, char(13, 10), char(10)), char(13), char(10)), ${SPACES})`
}

const statements = new Map<string, ReturnType<typeof selectCompared>>()

function statementOf(kind: Kind) {
  const made = statements.get(kind.resource) ?? selectCompared(kind)
  statements.set(kind.resource, made)
  return made
}

function selectCompared(kind: Kind) {
  const { record, table } = kind
  const bits = comparedNames(kind).map((name, place) => {
    const field = record.fields[name]
    if (!field) throw new Error(`The record has no field "${name}".`)
    const said = sql`(asked.value -> ${sql.raw(`'$.fields.${name}'`)})`
    const isSame = sql`exists (select 1 from json_each(${said}) as form
      where ${plainColumn(tableColumn(table, name), field)} is form.value)`
    return sql`iif(${said} is null or ${isSame}, 0, ${literal(1 << place)})`
  })
  return prepared(() =>
    qb
      .select({
        at: sql<number>`asked.value ->> 'at'`.as('at'),
        id: sql<string>`${table.id}`.as('id'),
        version: sql<number>`${table.version}`.as('version'),
        differing: sql<number>`${sql.join(bits, sql` + `)}`.as('differing'),
      })
      .from(sql`json_each(${sql.placeholder('asked')}) as asked`)
      .crossJoin(table)
      .where(sql`${tableColumn(table, record.key)} = asked.value ->> 'name'`),
  )
}
