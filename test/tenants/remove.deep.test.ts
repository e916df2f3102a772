import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect } from 'vitest'
import type { Project } from '../fixtures/project.ts'
import { contentsOf, differencesBetween } from './contents.ts'
import { filling } from './fill.ts'
import { resultOf } from './operator.ts'
import { it, type Staging } from './staging.ts'
import { order, visitor } from './visitor.ts'

const exists = ({ folder }: Project, file: string) =>
  stat(join(folder, file)).then(
    () => true,
    () => false,
  )

async function contentsOfFile(project: Project, file: string) {
  const db = new DatabaseSync(':memory:')
  db.exec(await project.read(file))
  return await contentsOf((sql) => db.prepare(sql).all())
}

/** Does it right before each call of the kind. */
function onCall({ cloudflare }: Staging, kind: string, work: () => Promise<unknown>) {
  return cloudflare.fail(kind, { when: 'before', where: () => work().then(() => false) })
}

describe.concurrent('npm run tenant -- export', () => {
  it('leaves no half a file, whichever step failed, and a whole one the next time', async ({
    staging,
  }) => {
    const { cloudflare, project } = staging
    await staging.add('acme')
    await staging.write('acme', filling(20))
    for (const [kind, when] of [
      ['d1.export', 'before'],
      ['d1.export.download', 'before'],
      ['d1.query', 'after'],
    ] as const) {
      const outage = cloudflare.fail(kind, { when })
      const { code, stderr } = await staging.tenant('export', 'acme', 'acme.sql')
      expect(outage.hits, `${kind}: ${stderr}`).toBeGreaterThan(0)
      expect(code, kind).toBe(1)
      for (const file of ['acme.sql', 'acme.sql.part'])
        expect(await exists(project, file), `${file} after ${kind}`).toBe(false)
      await outage.end()
    }
    const { tables } = resultOf(await staging.tenant('export', 'acme', 'acme.sql', '--json'))
    const contents = await staging.contents('acme')
    expect(differencesBetween(contents, await contentsOfFile(project, 'acme.sql'))).toEqual([])
    expect(tables).toMatchObject({ orders: contents.orders?.length, workspace: 1 })
    expect((await stat(join(project.folder, 'acme.sql'))).mode & 0o777).toBe(0o600)
  })

  it('is refused when rows or texts are lost on the way', async ({ staging }) => {
    await staging.add('acme')
    await staging.write('acme', filling(3))
    const losses = [
      (dump: string) => dump.replace(/INSERT INTO "inventory".*\n/, ''),
      (dump: string) => dump.replace('荷荷', '荷'),
    ]
    staging.cloudflare.onDownload = (dump) => losses.shift()?.(dump) ?? dump
    const { code, stderr } = await staging.tenant('export', 'acme', 'acme.sql')
    expect({ code, stderr, losses }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/^The export is not complete: partners: \d+ of \d+ octets\.$/m),
      losses: [],
    })
    expect(await exists(staging.project, 'acme.sql')).toBe(false)
    expect(await exists(staging.project, 'acme.sql.part')).toBe(false)
  })

  it('is of one moment, of a tenant that is written to meanwhile', async ({ staging }) => {
    await staging.add('acme')
    await staging.write('acme', filling(3))
    let written = 0
    onCall(staging, 'd1.export.download', () =>
      staging.write('acme', [
        {
          sql: `UPDATE products SET quantity = ${++written}, sku = 'new-${written}' WHERE id = 'p-1'`,
        },
        { sql: `DELETE FROM inventory WHERE seq = ${written}` },
      ]),
    )
    resultOf(await staging.tenant('export', 'acme', 'acme.sql', '--json'))
    expect(written).toBe(2)
    const { products, inventory } = await contentsOfFile(staging.project, 'acme.sql')
    const before = await staging.contents('acme')
    expect(products?.join()).toContain('"sku":"new-1","quantity":1,')
    expect(inventory).toHaveLength((before.inventory?.length ?? 0) + 1)
  })
})

describe.concurrent('npm run tenant -- remove', () => {
  it('takes no database for another', async ({ staging }) => {
    const { cloudflare, project } = staging
    await staging.add('acme')
    const [{ id = '' } = {}] = cloudflare.databases()
    const toml = (await project.read('wrangler.toml')).replace(id, crypto.randomUUID())
    await project.write('wrangler.toml', toml)
    const { code, stderr } = await staging.tenant('remove', 'acme', '--confirm', 'acme')
    expect(code).toBe(1)
    expect(stderr).toContain(`but crossdock-staging-acme is ${id}: correct database_id there.`)
    expect(cloudflare.databases()).toHaveLength(1)
    expect(await project.read('wrangler.toml')).toBe(toml)
  })

  it('is finished by the next run, whichever step failed, and takes along what came in', async ({
    staging,
  }) => {
    const { cloudflare, project } = staging
    const [settings = '', neighbour = ''] = await staging.add('gone', 'stays')
    await staging.write('gone', filling(20))
    await staging.wrangler(['deploy', '--env', 'staging'])
    const at = (slug: string, key: string) =>
      visitor(cloudflare, `https://${slug}.staging.crossdock.example`, key)
    const shop = await at('gone', settings).data('POST', '/api-keys/', {
      name: 'Shop',
      scopes: ['integrations.*'],
    })
    const args = ['remove', 'gone', '--confirm', 'gone', '--export', 'gone.sql', '--json']
    const fail = async (kind: string) => {
      const outage = cloudflare.fail(kind, { when: 'before' })
      const { code, stderr } = await staging.tenant(...args)
      expect(outage.hits, `${kind}: ${stderr}`).toBeGreaterThan(0)
      expect(code, kind).toBe(1)
      await outage.end()
      await at('stays', neighbour).data('GET', '/api-keys/')
    }

    await fail('version.create')
    await order(at('gone', shop.key), 'between two runs')
    const late = onCall(staging, 'version.create', () => order(at('gone', shop.key), 'late'))
    await fail('d1.delete')
    await late.end()
    const { orders } = await contentsOfFile(project, 'gone.sql.draft')
    expect(orders?.join()).toContain('"order_number":"late"')
    expect(await exists(project, 'gone.sql')).toBe(false)

    const contents = await staging.contents('gone')
    cloudflare.fail('d1.delete', { when: 'after' })
    expect(resultOf(await staging.tenant(...args))).toEqual({
      tenant: 'gone',
      removed: true,
      export: 'gone.sql',
    })
    expect(differencesBetween(contents, await contentsOfFile(project, 'gone.sql'))).toEqual([])
    expect(await exists(project, 'gone.sql.draft')).toBe(false)
    expect(cloudflare.databases().map(({ name }) => name)).toEqual(['crossdock-staging-stays'])
    expect(await project.read('wrangler.toml')).not.toContain('gone')
  })
})
