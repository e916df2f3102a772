import { styleText } from 'node:util'
import type { Demo } from './demo.ts'
import { ORDERS, PRODUCTS } from './samples.ts'

/** Where the server is, how to get in, and lines to paste that work. */
export function welcome(demo: Demo): string {
  const examples = examplesOf(demo).flatMap(([title, command]) => [
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
    '  Both are for this machine only and are kept in .wrangler/demo.json.',
    '',
    ...examples,
  ].join('\n')
}

function examplesOf({ base_url, key, settings_key }: Demo): [title: string, command: string][] {
  const curl = (path: string, apiKey: string, more = '') =>
    `curl '${base_url}/api/${path}' -H 'X-API-Key: ${apiKey}'${more}`
  const json = (body: object) => ` -H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`
  const sku = PRODUCTS[0]?.sku
  const pending = ORDERS.at(-1)?.order.order_number
  const order = { order_number: freshNumber(), items: [{ sku_code: sku, quantity: 2 }] }
  const cancel = ` -X DELETE${json({ reason: 'Changed mind' })}`
  return [
    ['List orders', curl('integrations/v1/orders/', key)],
    ['Create an order', curl('integrations/v1/orders/', key, json(order))],
    [`Where ${sku} is in stock`, curl(`integrations/v1/inventory/${sku}/?by=sku`, key)],
    ['Cancel an order', curl(`integrations/v1/orders/${pending}/`, key, cancel)],
    ['Who did what: the audit log', curl('settings/v1/audit-log/?limit=10', settings_key)],
  ]
}

/** One that no earlier start has printed, so that its line works once more. */
function freshNumber(): string {
  return `WEB-${Math.floor(Date.now() / 1000)}`
}
