import { getTableColumns, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { Context } from 'hono'
import type * as z from 'zod'
import { jsonParts, PART_BYTES_MAX } from '../engine/db/json-parts.ts'
import { asFlag, type Prepared, prepared, qb } from '../engine/db/prepared.ts'
import type { AppEnv } from '../engine/env.ts'
import type { MappedDocument } from '../engine/mapping/inbound.ts'
import type { Compare, StoredRecord } from '../middleware/several-records.ts'

interface Compared<Schema extends z.ZodType<object>> {
  table: SQLiteTable & { id: SQLiteColumn }
  /** The field that names a record. */
  key: string
  /** The fields that a new record has, and its table. */
  names: readonly string[]
  /** What a body of POST is. */
  schema: Schema
  /** What else must be the same. */
  rest?: SQL
  /** The new record with what `rest` needs beside it. */
  withMore?: (record: z.output<Schema>, document: MappedDocument) => object
  /** Which records may be compared at all. */
  visible?: SQL
}

/**
 * Compares new records with the stored ones that have their names: all fields that a document gives. A record that is
 * larger than a value of D1 counts as another one.
 */
export function comparing<Schema extends z.ZodType<object>>({
  schema,
  withMore = (record) => record,
  ...compared
}: Compared<Schema>): Compare {
  const { table, names } = compared
  const columns = getTableColumns(table)
  let select: Prepared<StoredRecord[]> | undefined
  return async (c, documents) => {
    select ??= selectSame(compared)
    const asked = documents.flatMap((document, at) => {
      const { data } = schema.safeParse(document.value)
      return data ? [{ at, ...storedForm(withMore(data, document), names, columns) }] : []
    })
    return await stored(c, select, asked)
  }
}

async function stored(
  c: Context<AppEnv>,
  select: Prepared<StoredRecord[]>,
  asked: object[],
): Promise<StoredRecord[]> {
  const { db } = c.var
  const parts = (await jsonParts(asked, db.pace)).filter((part) => part.length <= PART_BYTES_MAX)
  if (parts.length === 0) await db.confirm()
  const found: StoredRecord[] = []
  for (const part of parts) {
    const codes_of = db.subject.partner_id
    const [rows] = await db.read([select.with({ asked: part, codes_of })])
    found.push(...rows)
  }
  return found
}

/** The fields as their columns have them, so that the database compares texts and numbers. */
function storedForm(data: object, names: readonly string[], columns: Record<string, SQLiteColumn>) {
  const entries = Object.entries(data).map(([name, value]) => {
    const column = names.includes(name) ? columns[name] : undefined
    return [name, column && value != null ? column.mapToDriverValue(value) : value]
  })
  return Object.fromEntries(entries)
}

function selectSame({
  table,
  key,
  names,
  rest = sql`true`,
  visible = sql`true`,
}: Omit<Compared<z.ZodType<object>>, 'schema' | 'withMore'>) {
  const columns = getTableColumns(table)
  const member = (name: string) => sql`asked.value ->> ${sql.raw(`'${name}'`)}`
  const same = names.map((name) => {
    const isGiven = sql`json_type(asked.value, ${sql.raw(`'$.${name}'`)}) is not null`
    return sql`(not ${isGiven} or ${columns[name]} is ${member(name)})`
  })
  const isSame = sql`case when ${sql.join(same, sql` and `)} then ${rest} else 0 end`
  return prepared(() =>
    qb
      .select({
        at: sql<number>`asked.value ->> 'at'`.as('asked_at'),
        id: sql<string>`${table.id}`.as('found_id'),
        isSame: isSame.mapWith(asFlag).as('is_same'),
      })
      .from(sql`json_each(${sql.placeholder('asked')}) as asked`)
      .crossJoin(table)
      .where(sql`${columns[key]} = ${member(key)} and ${visible}`),
  )
}
