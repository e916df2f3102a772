import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import type { ApiError } from '../../engine/errors.ts'
import { mayReadDocuments } from '../../middleware/document-access.ts'
import { differencesOfOrder } from '../../requests/line-differences/queries.ts'
import { may } from '../access.ts'
import { CONFIRMED, type Shape } from '../form/shape.ts'
import { Confirmed } from '../parts/confirmation.tsx'
import { DataTable } from '../parts/data-table.tsx'
import { FormError } from '../parts/form-error.tsx'
import { count } from '../parts/numbers.ts'
import { Time } from '../parts/time.tsx'
import { recordPath, requestPath } from '../paths.ts'
import { linkedIds } from '../records/linked.ts'
import { RecordLink } from '../records/record-link.tsx'

/** So many differences does a line of a list show. */
const SHOWN_MAX = 3

export const SEEN: Shape = { fields: [CONFIRMED, 'request_id'] }

export type Differences = NonNullable<Awaited<ReturnType<typeof differencesOfOrder>>>

/** With the ids of the products by which they are linked. */
type ShownDifferences = Differences & { products: Map<string, string> }

/** Null to a key that may not see what webhooks deliver. */
export async function shownDifferences(
  c: Context<AppEnv>,
  id: string,
): Promise<ShownDifferences | null> {
  const found = mayReadDocuments(c) ? await differencesOfOrder(c.get('db'), id) : null
  if (found === null) return null
  const skus = found.differences.flatMap(({ sku_code }) => sku_code ?? [])
  return { ...found, products: await linkedIds(c, 'products', skus) }
}

interface SectionProps {
  c: Context<AppEnv>
  found: ShownDifferences | null
  /** Of the button. */
  error: ApiError | null
}

/** What the shop says beside what is stored. */
export function DifferencesSection({ c, found, error }: SectionProps) {
  if (found === null) return <FormError error={error} />
  const { order_id, request_id, total, noted_at, seen_at, differences, products } = found
  return (
    <section class="outcome">
      <h2>The shop has other lines</h2>
      <FormError error={error} />
      <p>
        A document that was <RequestLink c={c} id={request_id} /> <Time at={noted_at} /> has other
        quantities than the order. The order has kept its lines, because the lines of an order
        cannot change. Tell whoever picks it, or cancel it.
      </p>
      <DataTable
        rows={differences}
        columns={[
          ['SKU', ({ sku_code }) => <Sku name={sku_code} ids={products} />],
          ['Stored here', ({ stored }) => quantity(stored)],
          ['The shop says', ({ sent }) => quantity(sent)],
        ]}
      />
      {total > differences.length && (
        <p class="nothing">And {count(total - differences.length)} more.</p>
      )}
      {seen_at === null && may(c, 'settings.deliveries.write') && (
        <form method="post" action={`${recordPath('orders', order_id)}lines-seen/`}>
          <Confirmed />
          <input type="hidden" name="request_id" value={request_id} />
          <div class="buttons">
            <button type="submit">Seen</button>
          </div>
        </form>
      )}
      {seen_at !== null && (
        <p class="nothing">
          Marked as seen <Time at={seen_at} />.
        </p>
      )}
    </section>
  )
}

function Sku({ name, ids }: { name: string | null; ids: Map<string, string> }) {
  return name === null ? NO_SKU : <RecordLink resource="products" name={name} ids={ids} />
}

function RequestLink({ c, id }: { c: Context<AppEnv>; id: string }) {
  return may(c, 'settings.audit.read') ? <a href={requestPath(id)}>delivered</a> : <>delivered</>
}

const NO_SKU = 'no SKU'

/** Such as `MUG-2: 2 stored, 3 sent; and 4 more`. */
export function differenceText(differences: Differences['differences'], total: number): string {
  const shown = differences.slice(0, SHOWN_MAX)
  const texts = shown.map(({ sku_code, stored, sent }) => {
    return `${sku_code ?? NO_SKU}: ${quantity(stored)} stored, ${quantity(sent)} sent`
  })
  const rest = total - shown.length
  return [...texts, ...(rest > 0 ? [`and ${count(rest)} more`] : [])].join('; ')
}

function quantity(value: number | string | null): string {
  if (value === null) return 'none'
  return typeof value === 'number' ? count(value) : value
}
