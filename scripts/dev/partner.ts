import { type Call, clientOf, refusalOf, send } from './client.ts'
import type { Demo } from './demo.ts'
import { SHOP, SHOP_MAPPING } from './shop.ts'

const PARTNERS = 'settings/v1/partners/'

/**
 * Adds a key of the sample partner to the demo. Creates partner, mapping and key through the settings API, as
 * an administrator would, and leaves those that exist unchanged.
 */
export async function ensurePartner(demo: Demo, life: AbortSignal): Promise<Demo> {
  if (demo.partner_key && (await opens(clientOf(demo, demo.partner_key, life)))) return demo
  const call = clientOf(demo, demo.settings_key, life)
  const id = (await findShop(call)) ?? (await createShop(call))
  const path = `${PARTNERS}${id}/mappings/orders/`
  const mapping = await call('GET', path)
  if (mapping.status === 404) await send(call, 'PUT', path, SHOP_MAPPING)
  else if (!mapping.ok) throw await refusalOf(mapping, 'GET', path)
  const linked = { name: SHOP.name, partner_id: id }
  const { key } = (await send(call, 'POST', 'settings/v1/api-keys/', linked)) as { key: string }
  return { ...demo, partner_key: key }
}

/** Whether the key is valid. Other refusals, such as a disabled workspace, say nothing about the key. */
async function opens(call: Call): Promise<boolean> {
  return (await call('GET', 'integrations/v1/orders/?limit=1')).status !== 401
}

async function findShop(call: Call): Promise<string | undefined> {
  const partners = await send(call, 'GET', `${PARTNERS}?limit=200`)
  return (partners as { id: string; name: string }[]).find(({ name }) => name === SHOP.name)?.id
}

async function createShop(call: Call): Promise<string> {
  return ((await send(call, 'POST', PARTNERS, SHOP)) as { id: string }).id
}
