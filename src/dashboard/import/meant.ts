import { unguarded } from '../../engine/answers/csv.ts'
import type { TenantDatabase } from '../../engine/db/transact.ts'
import { findIds } from '../../engine/identifiers/ids.ts'

/** So many names at a time are few enough for one value of D1. */
const NAMES_MAX = 500

/**
 * The names that cells mean: our own files guard a name that a spreadsheet would run, so `'=A` is the record `=A`. It is
 * the record `'=A` only if that one is there alone.
 */
export async function namesMeant(
  db: TenantDatabase,
  resource: 'products' | 'locations',
  cells: readonly string[],
): Promise<(cell: string) => string> {
  const guarded = [...new Set(cells.filter((cell) => unguarded(cell) !== cell))]
  const known = new Set<string>()
  for (let at = 0; at < guarded.length; at += NAMES_MAX) {
    const some = guarded.slice(at, at + NAMES_MAX)
    const found = await findIds(db, resource, [...some, ...some.map(unguarded)])
    for (const name of found.keys()) known.add(name)
  }
  return (cell) => {
    const name = unguarded(cell)
    return name !== cell && known.has(cell) && !known.has(name) ? cell : name
  }
}
