import { type Log, selectHolding } from './entries.ts'
import type { LogRow } from './lines.ts'
import { readObject } from './scan.ts'

/** Archived rows by seq, and those that had no room. What is in neither is not in the archive. */
export type ArchivedBySeq = Pick<Held, 'rows' | 'dropped'>

/** The archived rows with these seqs. If they have more than `bytesMax`, only the first of them, and at least one. */
export async function readArchived(
  log: Log,
  seqs: readonly number[],
  bytesMax = Number.POSITIVE_INFINITY,
): Promise<ArchivedBySeq> {
  const [entries] = await log.db.readOn([selectHolding(seqs)])
  const found = new Held(seqs, bytesMax)
  for (const entry of entries) {
    await readObject(log, entry, { order: 'seq', matches: found.isAsked }, found.add)
  }
  return found
}

/** Rows in the order of `seqs`, of which the last ones give way. */
class Held {
  readonly rows = new Map<number, LogRow>()
  readonly dropped = new Set<number>()
  readonly #sizes = new Map<number, number>()
  readonly #places: Map<number, number>
  readonly #bytesMax: number
  #bytes = 0

  constructor(seqs: readonly number[], bytesMax: number) {
    this.#places = new Map(seqs.map((seq, place) => [seq, place]))
    this.#bytesMax = bytesMax
  }

  readonly isAsked = ({ seq }: LogRow): boolean => this.#places.has(seq)

  readonly add = (row: LogRow): boolean => {
    const size = JSON.stringify(row).length
    this.rows.set(row.seq, row)
    this.#sizes.set(row.seq, size)
    this.#bytes += size
    while (this.#bytes > this.#bytesMax && this.rows.size > 1) this.#drop()
    return this.#sizes.size < this.#places.size
  }

  #drop(): void {
    const seqs = [...this.rows.keys()]
    const place = (seq: number) => this.#places.get(seq) ?? 0
    const last = seqs.reduce((one, other) => (place(one) > place(other) ? one : other))
    this.rows.delete(last)
    this.dropped.add(last)
    this.#bytes -= this.#sizes.get(last) ?? 0
  }
}
