import { readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Cloudflare, startCloudflare } from './cloudflare.ts'
import { contentsOf, differencesBetween, expectMoved } from './contents.ts'
import { filling } from './fill.ts'
import { placeTenant, writeTenantFile } from './new-tenant.ts'
import { resultOf, tenant } from './operator.ts'
import { type Project, startProject } from './project.ts'
import { clientOf } from './visitor.ts'

let cloudflare: Cloudflare
let project: Project
let stays: string

beforeAll(async () => {
  ;[cloudflare, project] = await Promise.all([startCloudflare(), startProject()])
  stays = await placeTenant(cloudflare, project, 'stays', filling(1))
  const { code, stderr } = await project.wrangler(['deploy', '--env', 'staging'], cloudflare.env)
  if (code !== 0) throw new Error(stderr)
  cloudflare.recover()
})
afterEach(() => {
  expect(cloudflare.unexpected).toEqual([])
  cloudflare.recover()
})
afterAll(() => Promise.all([cloudflare.close(), project.remove()]))

const run = (...args: string[]) =>
  tenant(project, [...args, '--env', 'staging', '--json'], cloudflare.env)
const toml = () => project.read('wrangler.toml')
const nameOf = (slug: string) => `crossdock-staging-${slug}`
const contentsIn = (slug: string) => contentsOf((sql) => cloudflare.query(nameOf(slug), sql))

/** An export of a tenant as `<slug>.sql`. */
const fileOf = (slug: string, orders: number, through?: number) =>
  writeTenantFile(join(project.folder, `${slug}.sql`), slug, filling(orders), through)

function order(slug: string, key: string, order_number: string) {
  const api = clientOf(cloudflare, `https://${slug}.staging.crossdock.example`, key)
  const items = [{ sku_code: 'SKU-1', quantity: 1 }]
  return api.data('POST', '/orders/', { order_number, items })
}

describe('npm run tenant -- import, of a file that is not fit', () => {
  it('changes nothing, and asks Cloudflare nothing', async () => {
    await fileOf('acme', 1)
    const whole = await project.read('acme.sql')
    await project.write('cut.sql', whole.slice(0, whole.length / 2))
    await project.write('short.sql', whole.slice(0, whole.lastIndexOf('CREATE TRIGGER')))
    const before = await toml()
    for (const [slug, file, reason] of [
      [
        'beta',
        'acme.sql',
        'acme.sql holds the tenant acme, and its keys say so: import it as acme.',
      ],
      ['acme', 'cut.sql', 'cut.sql is no export of a tenant: '],
      ['acme', 'short.sql', 'The export is not complete: it lacks the trigger '],
    ] as const) {
      const { code, stderr } = await run('import', slug, file)
      expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(reason) })
      expect(stderr).not.toContain('    at ')
    }
    expect(await toml()).toBe(before)
    expect(cloudflare.calls.map(({ kind }) => kind)).toEqual([])
  }, 60_000)
})

describe('npm run tenant -- import', () => {
  it('migrates an older export on the way, and never imports over a tenant that differs', async () => {
    const { key, contents } = await fileOf('older', 3, 1)
    const args = ['import', 'older', 'older.sql']
    const { tables } = resultOf(await run(...args))
    expect(tables).toMatchObject({ d1_migrations: 2, orders: contents.orders?.length })
    await order('older', key, 'next')

    const [toml, before] = [await project.read('wrangler.toml'), await contentsIn('older')]
    cloudflare.recover()
    const { code, stderr } = await run(...args)
    const orders = contents.orders?.length ?? 0
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(
        `older exists in staging and is not what the file holds .*orders: ${orders + 1} of ${orders} rows`,
      ),
    })
    expect(differencesBetween(before, await contentsIn('older'))).toEqual([])
    expect(await project.read('wrangler.toml')).toBe(toml)
    expect(cloudflare.calls.filter(({ kind }) => !['d1.list', 'd1.query'].includes(kind))).toEqual(
      [],
    )
  }, 120_000)

  it('is finished by the next run, whichever step failed', async () => {
    const { key, contents } = await fileOf('acme', 30)
    for (const [kind, when] of [
      ['d1.create', 'after'],
      ['d1.import.init', 'before'],
      ['d1.import.upload', 'before'],
      ['d1.import.ingest', 'before'],
      ['d1.import.poll', 'after'],
      ['deployment.create', 'after'],
    ] as const) {
      const outage = cloudflare.fail(kind, { when })
      const { code, stderr } = await run('import', 'acme', 'acme.sql')
      expect(outage.hits, `${kind}: ${stderr}`).toBeGreaterThan(0)
      expect(code, kind).toBe(1)
      outage.end()
      await order('stays', stays, `${kind} ${when}`)
    }
    cloudflare.recover()
    resultOf(await run('import', 'acme', 'acme.sql'))
    const changes = cloudflare.calls
      .map(({ kind }) => kind)
      .filter((kind) => /create|import/.test(kind))
    expect(changes).toEqual(['version.create', 'deployment.create'])
    expectMoved(contents, await contentsIn('acme'))
    await order('acme', key, 'next')
    const databases = cloudflare.databases().filter(({ name }) => name === nameOf('acme'))
    expect(databases).toHaveLength(1)
    expect((await project.read('wrangler.toml')).split('binding = "DB_ACME"')).toHaveLength(2)
    expect(
      (await readdir(dirname(project.folder))).filter((name) => name.startsWith('crossdock-')),
    ).toEqual([])
  }, 240_000)

  it('brings a tenant to this machine', async () => {
    const { contents } = await fileOf('home', 10)
    const { tables } = resultOf(await tenant(project, ['import', 'home', 'home.sql', '--json']))
    expect(tables.orders).toBe(contents.orders?.length)
    expectMoved(contents, await contentsHere('home'))
  }, 60_000)
})

/** What D1 holds of a tenant on this machine. */
async function contentsHere(slug: string) {
  const folder = join(project.folder, '.wrangler/state/v3/d1/miniflare-D1DatabaseObject')
  for (const name of await readdir(folder)) {
    if (!/^[0-9a-f]+\.sqlite$/.test(name)) continue
    const db = new DatabaseSync(join(folder, name))
    const contents = await contentsOf((sql) => db.prepare(sql).all())
    if (contents.workspace?.[0]?.includes(`"tenant":"${slug}"`)) return contents
  }
  throw new Error(`${slug} is not on this machine.`)
}
