import type { DatabaseSync } from 'node:sqlite'

/** A table. Its columns do not include generated ones, which no dump holds. */
export interface Table {
  name: string
  columns: string[]
  /** Columns of the primary key. */
  key: string[]
  /** Columns that hold text. */
  texts: string[]
}

/** A dump, loaded into an in-memory database. */
export interface Dump {
  db: DatabaseSync
  tables: Table[]
  /** The tenant whose workspace it holds. */
  tenant: string
  /** Names of the applied migrations, in order. */
  applied: string[]
}
