import { expect } from 'vitest'
import type { Statement } from './cloudflare/runtime.ts'
import { WRITES } from './migrating.ts'
import type { Staging } from './staging.ts'
import { order, type Visitor, visitor } from './visitor.ts'

export const SLUG = 'acme'
const DATABASE = `crossdock-staging-${SLUG}`

export interface Shop {
  settings: Visitor
  /** Keys by what became of them after the moment. */
  keys: Record<'kept' | 'revoked' | 'rotated', { id: string; key: string }>
  /** The moment, in ISO 8601. */
  time: string
  /** Right before the restore. */
  version: number
  seq: number
}

export const at = ({ cloudflare }: Staging, key: string) =>
  visitor(cloudflare, `https://${SLUG}.staging.crossdock.example`, key)

/** Deploys the tenant with these rows, an order and three keys, as they are at the moment to restore. */
export async function open(staging: Staging, rows: Statement[] = []): Promise<Shop> {
  const [key = ''] = await staging.add(SLUG)
  const deployed = await staging.wrangler(['deploy', '--env', 'staging'])
  expect(deployed.code, deployed.stderr).toBe(0)
  const settings = at(staging, key)
  const newKey = (name: string) =>
    settings.data('POST', '/api-keys/', { name, scopes: ['integrations.*'] })
  const keys = {
    kept: await newKey('Kept'),
    revoked: await newKey('Revoked'),
    rotated: await newKey('Rotated'),
  }
  if (rows.length > 0) await staging.write(SLUG, rows)
  else await settings.data('POST', '/products/', { sku: 'SKU-1' })
  await order(at(staging, keys.kept.key), 'before')
  const time = await staging.cloudflare.mark(DATABASE)
  return { settings, keys, time, version: 0, seq: 0 }
}

/** What happens to the tenant since: an order, a key made, one revoked, one rotated, one renamed. */
export async function goOn(staging: Staging, shop: Shop) {
  const { settings, keys } = shop
  await order(at(staging, keys.kept.key), 'since')
  await settings.data('DELETE', `/api-keys/${keys.revoked.id}/`)
  const overlap = { overlap_seconds: 3600 }
  const successor = await settings.data('POST', `/api-keys/${keys.rotated.id}/rotate/`, overlap)
  await settings.data('PUT', `/api-keys/${keys.kept.id}/`, { name: 'Renamed' })
  await staging.query(SLUG, "UPDATE audit_log SET document_until = 1 WHERE record_name = 'since'")
  Object.assign(shop, await highest(staging))
  return { successor }
}

export async function highest(staging: Staging): Promise<{ version: number; seq: number }> {
  const [row] = await staging.query(
    SLUG,
    `SELECT settings_version AS version, (SELECT max(seq) FROM audit_log) AS seq FROM workspace`,
  )
  return row as { version: number; seq: number }
}

/** `200`, or the code of the refusal. */
export async function outcomeOf(staging: Staging, key: string, number: string): Promise<string> {
  const { status, body } = await at(staging, key).call('GET', `/orders/${number}/`)
  return status === 200 ? '200' : body.error.code
}

/** The tenant is as of the moment, serves, and no key or number of later is alive. */
export async function expectRestored(staging: Staging, shop: Shop, successor: { key: string }) {
  const { kept, revoked, rotated } = shop.keys
  expect(await outcomeOf(staging, kept.key, 'before')).toBe('200')
  expect(await outcomeOf(staging, kept.key, 'since')).toBe('NOT_FOUND')
  expect(await outcomeOf(staging, rotated.key, 'before')).toBe('200')
  expect(await outcomeOf(staging, revoked.key, 'before')).toBe('KEY_INVALID')
  expect(await outcomeOf(staging, successor.key, 'before')).toBe('KEY_INVALID')
  const { version, seq } = await highest(staging)
  expect(version).toBeGreaterThan(shop.version + 1)
  expect(seq).toBeGreaterThan(shop.seq)
  const rows = await staging.query(SLUG, "SELECT seq FROM audit_log WHERE method = 'RESTORE'")
  expect(rows).toHaveLength(1)
  const logged = await shop.settings.data('GET', '/audit-log/?method=RESTORE')
  expect(logged).toMatchObject([{ api_key: { name: 'Operator' }, status: 200 }])
  expect(rows[0]?.seq).toBeGreaterThan(shop.seq)
}

/** Calls that change a database or move its data. */
export function changesIn({ cloudflare }: Staging): string[] {
  return cloudflare.calls
    .filter(
      ({ kind, body }) =>
        !/^d1\.(?:query|list|info)$/.test(kind) || WRITES.test(JSON.stringify(body)),
    )
    .map(({ kind }) => kind)
}
