import { DatabaseSync } from 'node:sqlite'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Cloudflare, startCloudflare } from './cloudflare.ts'
import { contentsOf, differencesBetween, expectMoved } from './contents.ts'
import { filling } from './fill.ts'
import { resultOf, tenant } from './operator.ts'
import { type Project, startProject } from './project.ts'
import { type Api, clientOf } from './visitor.ts'

const ORDERS = 10_000

let cloudflare: Cloudflare
let project: Project

beforeAll(async () => {
  ;[cloudflare, project] = await Promise.all([startCloudflare(), startProject()])
})
afterEach(() => {
  expect(cloudflare.unexpected).toEqual([])
  cloudflare.recover()
})
afterAll(() => Promise.all([cloudflare.close(), project.remove()]))

const run = async (...args: string[]) =>
  resultOf(await tenant(project, [...args, '--json'], cloudflare.env))
const at = (environment: string, key: string) =>
  clientOf(cloudflare, `https://acme${environment}.crossdock.example`, key)
const contentsIn = (database: string) => contentsOf((sql) => cloudflare.query(database, sql))

/** Every kind of key that a tenant has, a partner with a mapping, and rows of all tables. */
async function equip(settings: Api, database: string) {
  const { id: partner_id } = await settings.data('POST', '/partners/', { name: 'Nordvik' })
  await settings.data('PUT', `/partners/${partner_id}/mappings/orders/`, {
    identifier_field: 'metadata.ref',
    inbound: { unmapped: 'keep', fields: { order_number: 'number' } },
  })
  const newKey = (name: string, more = {}) => settings.data('POST', '/api-keys/', { name, ...more })
  const [shop, partner, revoked, expired, old] = [
    await newKey('Shop', { scopes: ['integrations.*'] }),
    await newKey('Nordvik', { partner_id }),
    await newKey('Revoked', { scopes: ['integrations.*'] }),
    await newKey('Expired', { scopes: ['integrations.*'] }),
    await newKey('Rotated', { scopes: ['integrations.*'] }),
  ]
  await settings.data('DELETE', `/api-keys/${revoked.id}/`)
  const rotated = await settings.data('POST', `/api-keys/${old.id}/rotate/`, {
    overlap_seconds: 86_400,
  })
  await cloudflare.write(database, [
    ...filling(ORDERS),
    { sql: `UPDATE api_keys SET expires_at = created_at WHERE id = '${expired.id}'` },
  ])
  return { shop, partner, revoked, expired, old, rotated }
}

type Keys = Awaited<ReturnType<typeof equip>>

/** Reads leave their rows of the audit log after the answer. */
async function readsIn(database: string, key: string) {
  const where = `WHERE method = 'GET' AND api_key_id = '${key}'`
  const [row] = await cloudflare.query(database, `SELECT count(*) AS reads FROM audit_log ${where}`)
  return row?.reads
}

/** Each key does in production what it did in staging, and there nothing any more. */
async function expectKeys({ shop, partner, revoked, expired, old, rotated }: Keys) {
  const codeOf = async (environment: string, { key }: { key: string }, path: string) => {
    const { status, body } = await at(environment, key).call('GET', path)
    return `${status} ${body.error?.code ?? body.data.order_number}`
  }
  const order = '/orders/SO-1/'
  for (const key of [shop, old, rotated]) expect(await codeOf('', key, order)).toBe('200 SO-1')
  expect(await codeOf('', partner, '/orders/R-77/')).toBe('200 SO-77')
  expect(await codeOf('', revoked, order)).toBe('401 KEY_INVALID')
  expect(await codeOf('', expired, order)).toBe('401 KEY_EXPIRED')
  for (const key of [shop, partner])
    expect(await codeOf('.staging', key, order)).toBe('401 KEY_INVALID')
}

describe('npm run tenant -- export, remove, import', () => {
  it('moves a tenant with 10,000 orders to another environment, and nothing is lost', async () => {
    const { settings_key } = await run('create', 'acme', '--env', 'staging')
    const staging = 'crossdock-staging-acme'
    const settings = at('.staging', settings_key)
    const keys = await equip(settings, staging)
    const shop = at('.staging', keys.shop.key)
    const first = await shop.call('GET', '/orders/?limit=3')
    const second = await shop.call(
      'GET',
      `/orders/?limit=3&cursor=${first.body.pagination.next_cursor}`,
    )
    await expect.poll(() => readsIn(staging, keys.shop.id)).toBe(2)

    const before = await contentsIn(staging)
    expect(before.orders?.length).toBeGreaterThan(ORDERS)
    expect(before.order_items?.length).toBeGreaterThan(1.9 * ORDERS)
    expect(before.sqlite_master?.join()).toContain('orders_by_')
    await run('export', 'acme', 'acme.sql', '--env', 'staging')
    const exported = new DatabaseSync(':memory:')
    exported.exec(await project.read('acme.sql'))
    const inFile = await contentsOf((sql) => exported.prepare(sql).all())
    expect(differencesBetween(before, inFile)).toEqual([])

    const removal = ['--confirm', 'acme', '--export', 'moved.sql']
    await run('remove', 'acme', ...removal, '--env', 'staging')
    expect(cloudflare.databases()).toEqual([])
    const imported = await run('import', 'acme', 'moved.sql', '--env', 'production')
    const production = 'crossdock-production-acme'
    expectMoved(before, await contentsIn(production))

    expect(imported.base_url).toBe('https://acme.crossdock.example')
    await expectKeys(keys)
    const moved = at('', keys.shop.key)
    const again = await moved.call(
      'GET',
      `/orders/?limit=3&cursor=${first.body.pagination.next_cursor}`,
    )
    expect(again.body).toEqual(second.body)
    const [sequence] = await cloudflare.query(
      production,
      "SELECT seq FROM sqlite_sequence WHERE name = 'orders'",
    )
    await moved.data('POST', '/orders/', {
      order_number: 'next',
      items: [{ sku_code: 'SKU-1', quantity: 1 }],
    })
    const [next] = await cloudflare.query(
      production,
      "SELECT seq FROM orders WHERE order_number = 'next'",
    )
    expect(next?.seq).toBe(Number(sequence?.seq) + 1)
  }, 240_000)
})
