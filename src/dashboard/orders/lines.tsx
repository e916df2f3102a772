import type { Context } from 'hono'
import type * as z from 'zod'
import type { AppEnv } from '../../engine/env.ts'
import type { OrderRecord } from '../../records/orders/schema.ts'
import { DataTable } from '../parts/data-table.tsx'
import { count } from '../parts/numbers.ts'
import { linkedIds } from '../records/linked.ts'
import { RecordLink } from '../records/record-link.tsx'

/** A page shows so many lines, with so much of their notes: its memory is bounded. */
const SHOWN_MAX = 100
const NOTES_LENGTH_MAX = 160

type Line = Pick<
  z.output<typeof OrderRecord>['items'][number],
  'sku' | 'quantity' | 'notes' | 'verified_quantity' | 'verification_status'
>

export interface ShownLines {
  lines: Line[]
  total: number
  /** The place of the first line that is shown, from 1 on. */
  from: number
  /** The products' ids by SKU. */
  ids: Map<string, string>
}

/** The lines from the one on that the address names. */
export async function linesOf(c: Context<AppEnv>, items: Line[]): Promise<ShownLines> {
  const asked = Number(/^\d{1,4}$/.exec(c.req.query('line') ?? '')?.[0] ?? 1)
  const from = Math.min(Math.max(asked, 1), Math.max(items.length, 1))
  const lines = items.slice(from - 1, from - 1 + SHOWN_MAX)
  const skus = lines.map(({ sku }) => sku.sku)
  return { lines, from, total: items.length, ids: await linkedIds(c, 'products', skus) }
}

export function LinesSection({ lines, total, from, ids }: ShownLines) {
  const last = from + lines.length - 1
  return (
    <section>
      <h2>Lines</h2>
      <DataTable
        rows={lines}
        columns={[
          ['SKU', ({ sku }) => <RecordLink resource="products" name={sku.sku} ids={ids} />],
          ['Quantity', ({ quantity }) => count(quantity)],
          ['Verified', (line) => <Verified line={line} />],
          ['Notes', ({ notes }) => textOf(notes ?? '—'), 'free'],
        ]}
      />
      {lines.length < total && (
        <nav class="pager" aria-label="Lines">
          {from > 1 && <a href={`?line=${Math.max(from - SHOWN_MAX, 1)}`}>Lines before</a>}
          <span>
            Lines {count(from)} to {count(last)} of {count(total)}
          </span>
          {last < total && <a href={`?line=${last + 1}`}>Lines after</a>}
        </nav>
      )}
    </section>
  )
}

function Verified({ line: { verified_quantity, verification_status } }: { line: Line }) {
  return (
    <>
      {count(verified_quantity)} <small>{verification_status}</small>
    </>
  )
}

function textOf(notes: string): string {
  return notes.length > NOTES_LENGTH_MAX ? `${notes.slice(0, NOTES_LENGTH_MAX)}…` : notes
}
