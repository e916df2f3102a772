import type { Context } from 'hono'
import type { AppEnv } from '../../env.ts'
import { nameRecord } from '../../middleware/exchange.ts'
import { findProduct } from '../../resources/products/queries.ts'
import { Heading } from '../layout/heading.tsx'
import { count } from '../layout/numbers.ts'
import { showPage } from '../layout/page.tsx'
import { Active } from '../records/active.tsx'
import { addressOf } from '../records/address.ts'
import { ActivityLink } from '../records/change-activity.tsx'
import { Fact, Facts, JsonSection } from '../records/facts.tsx'
import { HistorySection, historyOf } from '../records/history.tsx'
import { ReadCall } from '../records/read-call.tsx'
import { StockSection, stockOf } from '../records/stock.tsx'

export async function showProduct(c: Context<AppEnv>, id: string) {
  const product = await findProduct(c.get('db'), addressOf(c, 'products', id))
  const { sku } = product
  nameRecord(c, sku)
  const of = { sku_code: sku }
  const [stock, history] = await Promise.all([stockOf(c, of), historyOf(c, { id, name: sku })])
  return showPage(
    c,
    `Product ${sku}`,
    <>
      <Heading text={`Product ${sku}`}>
        <ActivityLink c={c} resource="products" record={product} />
      </Heading>
      <Facts>
        <Fact name="State">
          <Active isActive={product.is_active} />
        </Fact>
        <Fact name="Quantity" text={count(product.quantity)} />
        <Fact name="Cost" text={product.cost} />
        <Fact name="Id">
          <code>{id}</code>
        </Fact>
      </Facts>
      <ReadCall c={c} resource="products" name={sku} />
      <StockSection of={of} stock={stock} />
      <JsonSection title="Custom fields" value={product.custom_fields} />
      <HistorySection resource="products" name={sku} history={history} />
    </>,
  )
}
