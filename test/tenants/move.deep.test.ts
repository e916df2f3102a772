import { readdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect } from 'vitest'
import { MIGRATIONS } from '../../src/engine/db/migrations.ts'
import { sample } from '../fixtures/depth.ts'
import type { Cloudflare } from './cloudflare.ts'
import { contentsOf, differencesBetween, expectMoved, rememberedAnew } from './contents.ts'
import { READING } from './deploying.ts'
import { filling } from './fill.ts'
import { at, fileOf, kindsOf } from './moving.ts'
import { resultOf, tenant } from './operator.ts'
import { it, type Staging } from './staging.ts'
import { order, type Visitor, visitor } from './visitor.ts'

const ORDERS = 10_000

/** Every kind of key that a tenant has, a partner with a mapping, and rows of all tables. */
async function equip({ write }: Staging, settings: Visitor) {
  const { id: partner_id } = await settings.data('POST', '/partners/', { name: 'Nordvik' })
  await settings.data('PUT', `/partners/${partner_id}/mappings/orders/`, {
    identifier_field: 'metadata.ref',
    inbound: { unmapped: 'keep', fields: { order_number: 'number' } },
  })
  const newKey = (name: string, more = {}) =>
    settings.data('POST', '/api-keys/', { name, scopes: ['integrations.*'], ...more })
  const [shop, partner] = [await newKey('Shop'), await newKey('Nordvik', { partner_id })]
  const [revoked, expired, old] = [await newKey('A'), await newKey('B'), await newKey('C')]
  await settings.data('DELETE', `/api-keys/${revoked.id}/`)
  const overlap = { overlap_seconds: 86_400 }
  const rotated = await settings.data('POST', `/api-keys/${old.id}/rotate/`, overlap)
  await write('acme', [
    ...filling(ORDERS),
    { sql: `UPDATE api_keys SET expires_at = created_at WHERE id = '${expired.id}'` },
  ])
  return { shop, partner, revoked, expired, old, rotated }
}

/** Each key does in production what it did in staging, and nothing there any more. */
async function expectKeys(cloudflare: Cloudflare, keys: Awaited<ReturnType<typeof equip>>) {
  const outcomeOf = async (environment: string, { key }: { key: string }, order: string) => {
    const { status, body } = await at(cloudflare, environment, key).call('GET', `/orders/${order}/`)
    return `${status} ${body.error?.code ?? body.data.order_number}`
  }
  const { shop, partner, revoked, expired, old, rotated } = keys
  for (const key of [shop, old, rotated]) {
    expect(await outcomeOf('', key, 'SO-1')).toBe('200 SO-1')
    expect(await outcomeOf('.staging', key, 'SO-1')).toBe('401 KEY_INVALID')
  }
  expect(await outcomeOf('', partner, 'R-77')).toBe('200 SO-77')
  expect(await outcomeOf('', revoked, 'SO-1')).toBe('401 KEY_INVALID')
  expect(await outcomeOf('', expired, 'SO-1')).toBe('401 KEY_EXPIRED')
}

/** The first page of orders, and a look at the second. */
async function pagesOf(shop: Visitor, cursor?: string) {
  const first = cursor ?? (await shop.call('GET', '/orders/?limit=3')).body.pagination.next_cursor
  return {
    cursor: first,
    second: (await shop.call('GET', `/orders/?limit=3&cursor=${first}`)).body,
  }
}

describe.concurrent('npm run tenant -- remove, then import', () => {
  it('moves a tenant with 10,000 orders to another environment, and nothing is lost', async ({
    staging,
  }) => {
    const { cloudflare, project, query } = staging
    const { settings_key } = resultOf(await staging.tenant('create', 'acme', '--json'))
    const keys = await equip(staging, at(cloudflare, '.staging', settings_key))
    const pages = await pagesOf(at(cloudflare, '.staging', keys.shop.key))
    // Reads leave their rows of the audit log after the answer.
    const reads = `SELECT 1 FROM audit_log WHERE method = 'GET' AND api_key_id = '${keys.shop.id}'`
    await expect.poll(() => query('acme', reads)).toHaveLength(2)

    const before = await staging.contents('acme')
    expect(before.orders?.length).toBeGreaterThan(ORDERS)
    expect(before.order_items?.length).toBeGreaterThan(1.9 * ORDERS)
    expect(before.sqlite_master?.join()).toContain('orders_by_')
    const removal = ['remove', 'acme', '--confirm', 'acme', '--export', 'acme.sql', '--json']
    resultOf(await staging.tenant(...removal))
    const exported = new DatabaseSync(':memory:')
    exported.exec(await project.read('acme.sql'))
    const inFile = await contentsOf((sql) => exported.prepare(sql).all())
    expect(differencesBetween(before, inFile)).toEqual([])
    expect(cloudflare.databases()).toEqual([])

    const importing = ['import', 'acme', 'acme.sql', '--env', 'production', '--json']
    const imported = resultOf(await tenant(project, importing, cloudflare.env))
    expect(imported.base_url).toBe('https://acme.crossdock.example')
    const rows = (sql: string) => cloudflare.query('crossdock-production-acme', sql)
    expectMoved(before, await contentsOf(rows))

    await expectKeys(cloudflare, keys)
    const shop = at(cloudflare, '', keys.shop.key)
    expect(await pagesOf(shop, pages.cursor)).toEqual(pages)
    const [last] = await rows("SELECT seq FROM sqlite_sequence WHERE name = 'orders'")
    await order(shop, 'next')
    const [next] = await rows("SELECT seq FROM orders WHERE order_number = 'next'")
    expect(next?.seq).toBe(Number(last?.seq) + 1)
  })
})

const hostOf = (slug: string) => `https://${slug}.staging.crossdock.example`

/** Of acme.sql, which has so many orders: one less than there are. */
async function expectRefused(staging: Staging, orders: number) {
  const { cloudflare, project } = staging
  const [toml, before] = [await project.read('wrangler.toml'), await staging.contents('acme')]
  cloudflare.recover()
  const { code, stderr } = await staging.tenant('import', 'acme', 'acme.sql')
  expect(code).toBe(1)
  expect(stderr).toContain('The tenant acme already exists in staging and differs from the file')
  expect(stderr).toContain(`orders: ${orders + 1} of ${orders} rows`)
  expect(differencesBetween(before, await staging.contents('acme'))).toEqual([])
  expect(await project.read('wrangler.toml')).toBe(toml)
  expect(kindsOf(staging).filter((kind) => !READING.includes(kind))).toEqual([])
}

describe.concurrent('npm run tenant -- import', () => {
  it('is finished by the next run, whichever step failed, and migrates an older export', async ({
    staging,
  }) => {
    const { cloudflare, project } = staging
    await project.write(
      'migrations/0099_test.sql',
      'CREATE INDEX products_cost ON products (cost);',
    )
    const [settings = ''] = await staging.add('stays')
    await staging.wrangler(['deploy', '--env', 'staging'])
    const { key, contents } = await fileOf(project, 'acme', 30)
    const run = () => staging.tenant('import', 'acme', 'acme.sql', '--json')
    const steps = [
      ['d1.create', 'after'],
      ['d1.import.init', 'before'],
      ['d1.import.upload', 'before'],
      ['d1.import.ingest', 'before'],
      ['d1.import.poll', 'after'],
    ] as const
    for (const [kind, when] of [...sample(steps, 1, 2), ['deployment.create', 'after'] as const]) {
      const outage = cloudflare.fail(kind, { when })
      const { code, stderr } = await run()
      expect(outage.hits, `${kind}: ${stderr}`).toBeGreaterThan(0)
      expect(code, kind).toBe(1)
      await outage.end()
      await visitor(cloudflare, hostOf('stays'), settings).data('GET', '/api-keys/')
    }
    cloudflare.recover()
    const { tables } = resultOf(await run())
    expect(tables).toMatchObject({
      d1_migrations: MIGRATIONS.length + 1,
      orders: contents.orders?.length,
    })
    const changes = kindsOf(staging).filter((kind) => /create|import/.test(kind))
    expect(changes).toEqual(['version.create', 'deployment.create'])
    const { d1_migrations: applied, ...before } = await staging.contents('acme')
    expectMoved(rememberedAnew(contents, before), {
      ...before,
      d1_migrations: contents.d1_migrations ?? [],
      sqlite_master: (before.sqlite_master ?? []).filter((row) => !row.includes('products_cost')),
      sqlite_sequence: (before.sqlite_sequence ?? []).map((row) =>
        row.includes('"d1_migrations"')
          ? row.replace(`"seq":${MIGRATIONS.length + 1}`, `"seq":${MIGRATIONS.length}`)
          : row,
      ),
    })
    expect(applied).toHaveLength(MIGRATIONS.length + 1)
    expect(cloudflare.databases()).toHaveLength(2)
    expect((await project.read('wrangler.toml')).split('"DB_ACME"')).toHaveLength(2)
    const leftovers = await readdir(dirname(project.folder))
    expect(leftovers.filter((name) => name.startsWith('crossdock-'))).toEqual([])

    await order(visitor(cloudflare, hostOf('acme'), key), 'next')
    await expectRefused(staging, contents.orders?.length ?? 0)
  })
})
