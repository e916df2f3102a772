import { styleText } from 'node:util'
import type { Demo } from './demo.ts'
import { ORDERS, PRODUCTS } from './samples.ts'
import { SHOP, shopOrder } from './shop.ts'

type Example = [title: string, command: string]

/** The text that a start prints: address, keys, and curl commands to paste. */
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
    `  Settings key  ${demo.settings_key}  (settings.*, integrations.*)`,
    ...(demo.partner_key ? [`  Partner key   ${demo.partner_key}  (${SHOP.name})`] : []),
    '  The keys work on this machine only. They are stored in .wrangler/demo.json.',
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
    [`Find the stock of ${sku}`, curl(demo, `integrations/v1/inventory/${sku}/?by=sku`, key)],
    ['Cancel an order', curl(demo, `integrations/v1/orders/${pending}/`, key, cancel)],
  ]
}

function partnerExamplesOf(demo: Demo): Example[] {
  const { partner_key: key } = demo
  if (!key) return []
  const document = shopOrder(freshNumber('WC'), freshNumber('wc_order'))
  return [
    [
      'Push an order in the format of a shop; a mapping converts it',
      curl(demo, 'integrations/v1/orders/', key, json(document)),
    ],
    [
      "Read it back by the shop's own identifier",
      curl(demo, `integrations/v1/orders/${document.order_key}/`, key),
    ],
  ]
}

function auditExampleOf(demo: Demo): Example {
  const path = 'settings/v1/audit-log/?limit=10'
  return ['Read the audit log', curl(demo, path, demo.settings_key)]
}

function curl({ base_url }: Demo, path: string, key: string, more = ''): string {
  return `curl '${base_url}/api/${path}' -H 'X-API-Key: ${key}'${more}`
}

function json(body: object): string {
  return ` -H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`
}

/** A number that no earlier start printed, so that creating the order works again. */
function freshNumber(prefix: string): string {
  return `${prefix}-${Math.floor(Date.now() / 1000)}`
}
