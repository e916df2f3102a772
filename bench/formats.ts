import { parseXml } from '../src/engine/formats/xml.ts'
import type { Benchmark, Figure } from './figure.ts'
import { ratios, summary } from './rounds.ts'
import { type Server, startCrossdock } from './server.ts'
import { fillProducts } from './warehouse.ts'

const ROWS = 50_000
const LOCATIONS = 10
const PRODUCTS = ROWS / LOCATIONS
const LINES = 100
const ORDERS = 20

const STOCK = {
  'inventory[]': { each: '$[]' },
  'inventory[].sku_code': '$[].Artikel',
  'inventory[].location_code': '$[].Lager',
  'inventory[].quantity': { from: '$[].Menge', as: 'integer' },
}
const AT = 'cXML.Request.OrderRequest'
const ORDER = {
  order_number: `${AT}.OrderRequestHeader.@orderID`,
  customer_name: `${AT}.OrderRequestHeader.ShipTo.Address.Name.#text`,
  'items[].sku_code': `${AT}.ItemOut[].ItemID.SupplierPartID`,
  'items[].quantity': { from: `${AT}.ItemOut[].@quantity`, as: 'integer' },
  'items[].notes': `${AT}.ItemOut[].ItemDetail.Description.#text`,
}

/** How much longer the same document takes as CSV or XML than as JSON, from the request to the end of its answer. */
export const formats: Benchmark = {
  names: ['csv_upload_vs_json', 'cxml_order_vs_json'],
  summary: `time of ${ROWS} rows of stock as CSV and of a cXML order of ${LINES} lines, relative to the same as JSON`,
  async run({ quick }) {
    const server = await startCrossdock()
    try {
      await fillProducts(server.db, PRODUCTS)
      const headers = await openSupplier(server)
      const rounds = quick ? 5 : 15
      const sent = (kind: Kind) => () => timeOf(server, headers, kind)
      const figures: Figure[] = []
      for (const [name, other, json, atMost] of [
        ['csv_upload_vs_json', 'csv', 'rows', 1.6],
        ['cxml_order_vs_json', 'xml', 'order', 3],
      ] as const) {
        // Warm-up. The first upload creates the stock.
        await ratios(2, sent(other), sent(json))
        const measured = summary(await ratios(rounds, sent(other), sent(json)))
        figures.push({ name, ...measured, unit: 'x', bound: { atMost } })
      }
      return figures
    } finally {
      await server.close()
    }
  },
}

type Kind = 'csv' | 'rows' | 'xml' | 'order'

const TYPES: Record<Kind, string> = {
  csv: 'text/csv',
  rows: 'application/json',
  xml: 'text/xml',
  order: 'application/json',
}

async function openSupplier(server: Server): Promise<Record<string, string>> {
  const make = async (method: string, path: string, body: object) => {
    const url = `${server.origin}/api${path}`
    const answer = await fetch(url, { method, headers: server.headers, body: JSON.stringify(body) })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${text}`)
    return JSON.parse(text).data
  }
  for (let n = 0; n < LOCATIONS; n++) {
    await make('POST', '/integrations/v1/locations/', { code: `D-${n}` })
  }
  const { id } = await make('POST', '/settings/v1/partners/', { name: 'Supplier' })
  const mappings = `/settings/v1/partners/${id}/mappings`
  await make('PUT', `${mappings}/inventory/`, { inbound: { fields: STOCK } })
  const inbound = { unmapped: 'drop', single_as_list: true, fields: ORDER }
  await make('PUT', `${mappings}/orders/`, { inbound })
  const { key } = await make('POST', '/settings/v1/api-keys/', { name: 'Supplier', partner_id: id })
  return { ...server.headers, 'X-API-Key': key }
}

/** The time of an upload, or of some orders one by one, in ms. */
async function timeOf(
  { origin }: Server,
  headers: Record<string, string>,
  kind: Kind,
): Promise<number> {
  const isStock = kind === 'csv' || kind === 'rows'
  const bodies = Array.from({ length: isStock ? 1 : ORDERS }, () => bodyOf(kind))
  const url = `${origin}/api/integrations/v1/${isStock ? 'inventory' : 'orders'}/`
  const started = performance.now()
  for (const body of bodies) {
    const type = { 'Content-Type': TYPES[kind] }
    const answer = await fetch(url, { method: 'POST', headers: { ...headers, ...type }, body })
    const text = await answer.text()
    const isTaken = answer.ok && (!isStock || JSON.parse(text).data.failed === 0)
    if (!isTaken) throw new Error(`${kind} was answered ${answer.status}: ${text.slice(0, 500)}`)
  }
  return performance.now() - started
}

let made = 0

/** Each upload changes all quantities, and each order is new. */
function bodyOf(kind: Kind): string {
  made += 1
  if (kind === 'xml') return orderAsXml()
  if (kind === 'order') return JSON.stringify(parseXml(orderAsXml()))
  const rows = Array.from({ length: ROWS }, (_, n) => ({
    Artikel: `SKU-${String(n % PRODUCTS).padStart(6, '0')}`,
    Lager: `D-${Math.floor(n / PRODUCTS)}`,
    Menge: String((n % 100) + made),
    Bezeichnung: `Earl Grey, 100 g, tin no. ${n % 40}`,
  }))
  if (kind === 'rows') return JSON.stringify(rows)
  const lines = rows.map(({ Artikel, Lager, Menge, Bezeichnung }) =>
    [Artikel, Lager, Menge, `"${Bezeichnung}"`].join(),
  )
  return `Artikel,Lager,Menge,Bezeichnung\n${lines.join('\n')}\n`
}

function orderAsXml(): string {
  const lines = Array.from(
    { length: LINES },
    (_, n) => `
      <ItemOut quantity="${(n % 12) + 1}" lineNumber="${n + 1}">
        <ItemID><SupplierPartID>SKU-${String((made + n) % PRODUCTS).padStart(6, '0')}</SupplierPartID></ItemID>
        <ItemDetail>
          <UnitPrice><Money currency="EUR">12.50</Money></UnitPrice>
          <Description xml:lang="en">Earl Grey, 100 g, tin no. ${n}</Description>
          <UnitOfMeasure>EA</UnitOfMeasure>
        </ItemDetail>
      </ItemOut>`,
  )
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE cXML SYSTEM "http://xml.cXML.org/schemas/cXML/1.2.014/cXML.dtd">
<cXML payloadID="${made}@example.com" timestamp="2026-11-29T08:00:00+00:00">
  <Request deploymentMode="production">
    <OrderRequest>
      <OrderRequestHeader orderID="PO-${made}" orderDate="2026-11-29T08:00:00+00:00" type="new">
        <Total><Money currency="EUR">1250.00</Money></Total>
        <ShipTo><Address><Name xml:lang="en">Fjord &amp; Co</Name></Address></ShipTo>
      </OrderRequestHeader>${lines.join('')}
    </OrderRequest>
  </Request>
</cXML>`
}
