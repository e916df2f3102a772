import { styleText } from 'node:util'
import type { Demo } from './demo.ts'
import { ORDERS, PRODUCTS } from './samples.ts'
import { SHOP, shopOrder } from './shop.ts'

type Example = [title: string, command: string]

/** Where the server is, how to get in, and lines to paste that work. */
export function welcome(demo: Demo): string {
  const examples = [...examplesOf(demo), ...partnerExamplesOf(demo), auditExampleOf(demo)]
  const lines = examples.flatMap(([title, command]) => [
    styleText('dim', `# ${title}`),
    command,
    '',
  ])
  return [
    '',
    `Crossdock serves the tenant demo at ${styleText('bold', demo.base_url)}. Ctrl-C stops it.`,
    '',
    `  API key       ${demo.key}  (integrations.*)`,
    `  Settings key  ${demo.settings_key}  (settings.*)`,
    ...(demo.partner_key ? [`  Partner key   ${demo.partner_key}  (${SHOP.name})`] : []),
    '  They are for this machine only and are kept in .wrangler/demo.json.',
    '',
    `  Dashboard     ${demo.base_url}/dashboard/  (sign in with the settings key)`,
    `  Reference     ${demo.base_url}/docs/`,
    '',
    ...lines,
  ].join('\n')
}

function examplesOf(demo: Demo): Example[] {
  const { key } = demo
  const sku = PRODUCTS[0]?.sku
  const pending = ORDERS.at(-1)?.order.order_number
  const order = { order_number: freshNumber('WEB'), items: [{ sku_code: sku, quantity: 2 }] }
  const cancel = ` -X DELETE${json({ reason: 'Changed mind' })}`
  return [
    ['List orders', curl(demo, 'integrations/v1/orders/', key)],
    ['Create an order', curl(demo, 'integrations/v1/orders/', key, json(order))],
    [`Where ${sku} is in stock`, curl(demo, `integrations/v1/inventory/${sku}/?by=sku`, key)],
    ['Cancel an order', curl(demo, `integrations/v1/orders/${pending}/`, key, cancel)],
  ]
}

function partnerExamplesOf(demo: Demo): Example[] {
  const { partner_key: key } = demo
  if (!key) return []
  const document = shopOrder(freshNumber('WC'), freshNumber('wc_order'))
  return [
    [
      'A shop pushes an order in its own words; its mapping makes one of ours',
      curl(demo, 'integrations/v1/orders/', key, json(document)),
    ],
    [
      'and reads it back by its own name for it',
      curl(demo, `integrations/v1/orders/${document.order_key}/`, key),
    ],
  ]
}

function auditExampleOf(demo: Demo): Example {
  const path = 'settings/v1/audit-log/?limit=10'
  return ['Who did what: the audit log', curl(demo, path, demo.settings_key)]
}

function curl({ base_url }: Demo, path: string, key: string, more = ''): string {
  return `curl '${base_url}/api/${path}' -H 'X-API-Key: ${key}'${more}`
}

function json(body: object): string {
  return ` -H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`
}

/** One that no earlier start has printed, so that its line works once more. */
function freshNumber(prefix: string): string {
  return `${prefix}-${Math.floor(Date.now() / 1000)}`
}
