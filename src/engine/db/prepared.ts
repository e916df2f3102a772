import { is, Param, Placeholder, type SQL, sql } from 'drizzle-orm'
import type { BatchItem } from 'drizzle-orm/batch'
import { drizzle } from 'drizzle-orm/d1'
import type { RunnableQuery } from 'drizzle-orm/runnable-query'
import type { PreparedQuery } from 'drizzle-orm/session'
import { byName } from '../json/by-name.ts'

/** A drizzle statement: a query that drizzle can prepare, or the prepared raw statement of `run`. */
export type Query = BatchItem<'sqlite'> & (PreparedQuery | { prepare: () => PreparedQuery })
export type Queries = Readonly<[Query, ...Query[]]>

/** The values of placeholders, by name. */
export type Values = Readonly<Record<string, unknown>>

/** Drizzle prepares statements with its client, but a Connection runs them (connect.ts). */
const NOT_RUN: D1PreparedStatement = {
  bind: refuse,
  first: refuse,
  run: refuse,
  all: refuse,
  raw: refuse,
}

/** Builds statements, without a database. A statement that is awaited, and not given to a Connection, throws. */
export const qb = drizzle({
  prepare: () => NOT_RUN,
  batch: refuse,
  exec: refuse,
  withSession: refuse,
  dump: refuse,
})

function refuse(): never {
  throw new Error('This statement has no database: give it to a Connection or a TenantDatabase.')
}

/**
 * A statement whose SQL drizzle generates once per isolate, at its first use: to do so each time would take
 * some 30 us. Only placeholders differ between uses. Their values come from `with` and, if not there, from
 * the batch.
 */
export class Prepared<Result> implements RunnableQuery<Result, 'sqlite'> {
  declare readonly _: { readonly dialect: 'sqlite'; readonly result: Result }
  readonly values: Values
  readonly #write: () => PreparedQuery

  constructor(write: () => PreparedQuery, values: Values = {}) {
    this.#write = write
    this.values = values
  }

  /** The same statement with its own values, which take precedence over the batch's. */
  with(values: Values): Prepared<Result> {
    return new Prepared(this.#write, values)
  }

  prepare(): PreparedQuery {
    return this.#write()
  }
}

type ResultOf<Q extends Query> = Q['_']['result']

/** Calls `build` at the first use: an isolate that starts builds no statement. */
export function prepared<Q extends Query>(build: () => Q): Prepared<ResultOf<Q>> {
  let written: PreparedQuery | undefined
  return new Prepared(() => {
    written ??= writtenOf(build())
    return written
  })
}

/** Statements that differ in one piece of SQL. Prepares one statement for each piece (by identity). */
export function preparedFor<Q extends Query>(
  build: (piece: SQL) => Q,
): (piece: SQL) => Prepared<ResultOf<Q>> {
  const made = new WeakMap<SQL, Prepared<ResultOf<Q>>>()
  return (piece) => made.getOrInsertComputed(piece, () => prepared(() => build(piece)))
}

/** Reads 0 and 1 as a flag's column does, which mapRows knows. */
export function asFlag(value: unknown): boolean {
  return value === 1
}

/** SQL for a number that is part of the text: a statement has at most 100 parameters. */
export function literal(number: number): SQL {
  return sql.raw(String(number))
}

/** A placeholder for each name, by name. */
export function placeholders<Name extends string>(...names: Name[]) {
  return byName(names, (name) => sql.placeholder(name))
}

/** The SQL, the parameters with their values, and the statement that maps the result to rows. */
export function bound(query: Query, values: Values) {
  const written = writtenOf(query)
  const own = query instanceof Prepared ? { ...values, ...query.values } : values
  const { sql, params } = written.getQuery()
  return { sql, params: params.map((param) => filled(param, own)), written }
}

function writtenOf(query: Query): PreparedQuery {
  return 'prepare' in query ? query.prepare() : query
}

/** As drizzle's fillPlaceholders, except that a column whose value is missing or null becomes NULL. */
function filled(param: unknown, values: Values): unknown {
  if (is(param, Placeholder)) return given(param.name, values)
  if (!is(param, Param) || !is(param.value, Placeholder)) return param
  const value = values[param.value.name] ?? null
  return value === null ? null : param.encoder.mapToDriverValue(value)
}

function given(name: string, values: Values): unknown {
  const value = values[name]
  if (value === undefined) throw new Error(`The placeholder "${name}" has no value.`)
  return value
}
