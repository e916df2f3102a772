import { sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { AT_SEQ, type Walk } from '../engine/db/walks.ts'
import { caseVariants } from '../engine/json/search/letter-case.ts'

/** For indexes that hold nothing but the text and seq. */
export const BY_SEQ = { newest: sql`seq desc`, after: sql`seq < ${AT_SEQ}` }

/** Along the index of a column whose texts are compared in exact case. */
export function identifierWalk({ name }: SQLiteColumn): Walk {
  return { field: name, value: sql`${sql.identifier(name)}`, ...BY_SEQ }
}

/** Along the index of a name, COLLATE NOCASE, once for each way to write the letters beyond ASCII. */
export function nameWalks({ name }: SQLiteColumn, text: string, order = BY_SEQ): Walk[] {
  const walk = { field: name, value: sql`${sql.identifier(name)}`, ...order }
  return caseVariants(text).map((variant) => ({ ...walk, text: variant, anyCase: true }))
}
