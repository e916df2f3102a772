import { is, Param, Placeholder, type SQL, sql } from 'drizzle-orm'
import type { BatchItem } from 'drizzle-orm/batch'
import { drizzle } from 'drizzle-orm/d1'
import type { RunnableQuery } from 'drizzle-orm/runnable-query'
import type { PreparedQuery } from 'drizzle-orm/session'

/** A statement of drizzle's: one that can be written, or a raw one, of `run`, that is written already. */
export type Query = BatchItem<'sqlite'> & (PreparedQuery | { prepare: () => PreparedQuery })
export type Queries = Readonly<[Query, ...Query[]]>

/** What placeholders stand for, by their names. */
export type Values = Readonly<Record<string, unknown>>

/**
 * Builds statements. It knows no database: a Connection runs them (connect.ts). Drizzle asks its client
 * for a statement while it writes one; nothing reads what it gets here.
 */
export const q = drizzle({ prepare: () => null } as unknown as D1Database)

/**
 * A statement whose SQL drizzle writes once in an isolate, at its first use: each time it would take
 * some 30 us. What differs from one use to the next are placeholders, whose values come by `with` or,
 * after those, with the batch.
 */
export class Prepared<Result> implements RunnableQuery<Result, 'sqlite'> {
  declare readonly _: { readonly dialect: 'sqlite'; readonly result: Result }
  readonly values: Values
  readonly #write: () => PreparedQuery

  constructor(write: () => PreparedQuery, values: Values = {}) {
    this.#write = write
    this.values = values
  }

  /** The same statement with values of its own, which go before the batch's. */
  with(values: Values): Prepared<Result> {
    return new Prepared(this.#write, values)
  }

  prepare(): PreparedQuery {
    return this.#write()
  }
}

type ResultOf<Q extends Query> = Q['_']['result']

export function prepared<Q extends Query>(query: Q): Prepared<ResultOf<Q>> {
  let written: PreparedQuery | undefined
  return new Prepared(() => {
    written ??= writtenOf(query)
    return written
  })
}

/** Statements that differ by a piece of SQL: of each such object one is prepared. */
export function preparedFor<Q extends Query>(
  build: (piece: SQL) => Q,
): (piece: SQL) => Prepared<ResultOf<Q>> {
  const made = new WeakMap<SQL, Prepared<ResultOf<Q>>>()
  return (piece) => {
    const known = made.get(piece) ?? prepared(build(piece))
    made.set(piece, known)
    return known
  }
}

/** A placeholder for each name, under that name. */
export function placeholders<Name extends string>(...names: Name[]) {
  const entries = names.map((name) => [name, sql.placeholder(name)])
  return Object.fromEntries(entries) as Record<Name, Placeholder<Name>>
}

/** SQL, parameters and what makes rows of the result. */
export function bound(query: Query, values: Values) {
  const written = writtenOf(query)
  const own = query instanceof Prepared ? { ...values, ...query.values } : values
  const { sql, params } = written.getQuery()
  return { sql, params: params.map((param) => filled(param, own)), rowsOf: written }
}

function writtenOf(query: Query): PreparedQuery {
  return 'prepare' in query ? query.prepare() : query
}

/** As drizzle's fillPlaceholders; but a column without a value, or with null, is NULL. */
function filled(param: unknown, values: Values): unknown {
  if (is(param, Placeholder)) return given(param.name, values)
  if (!is(param, Param) || !is(param.value, Placeholder)) return param
  const value = values[param.value.name] ?? null
  return value === null ? null : param.encoder.mapToDriverValue(value)
}

function given(name: string, values: Values): unknown {
  const value = values[name]
  if (value === undefined) throw new Error(`There is no value for the placeholder "${name}".`)
  return value
}
