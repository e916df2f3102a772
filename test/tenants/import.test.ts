import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Cloudflare, startCloudflare } from './cloudflare.ts'
import { contentsOf, differencesBetween, expectMoved } from './contents.ts'
import { filling } from './fill.ts'
import { writeTenantFile } from './new-tenant.ts'
import { resultOf, tenant } from './operator.ts'
import { type Project, startProject } from './project.ts'
import { clientOf } from './visitor.ts'

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

const run = (...args: string[]) =>
  tenant(project, [...args, '--env', 'staging', '--json'], cloudflare.env)
const toml = () => project.read('wrangler.toml')
const nameOf = (slug: string) => `crossdock-staging-${slug}`
const contentsOfTenant = (slug: string) => contentsOf((sql) => cloudflare.query(nameOf(slug), sql))

/** An export of a tenant as `<slug>.sql`. */
const fileOf = (slug: string, orders: number, through?: number) =>
  writeTenantFile(join(project.folder, `${slug}.sql`), slug, filling(orders), through)

async function expectAnswers(slug: string, key: string) {
  const api = clientOf(cloudflare, `https://${slug}.staging.crossdock.example`, key)
  expect(await api.data('GET', '/orders/SO-1/')).toMatchObject({ order_number: 'SO-1' })
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
    expect(cloudflare.calls).toEqual([])
  }, 60_000)
})

describe('npm run tenant -- import', () => {
  it('migrates an older export on the way, and finds it in place the next time', async () => {
    const { key, contents } = await fileOf('older', 3, 1)
    const args = ['import', 'older', 'older.sql']
    const imported = resultOf(await run(...args))
    expect(imported.tables).toMatchObject({
      d1_migrations: 2,
      workspace: 1,
      orders: contents.orders?.length,
    })
    await expectAnswers('older', key)
  }, 120_000)

  it('is finished by the next run, whichever step failed', async () => {
    const other = await fileOf('other', 3)
    resultOf(await run('import', 'other', 'other.sql'))
    const { key, contents } = await fileOf('acme', 30)
    for (const [kind, when] of [
      ['d1.create', 'before'],
      ['d1.create', 'after'],
      ['d1.import.init', 'before'],
      ['d1.import.upload', 'before'],
      ['d1.import.ingest', 'before'],
      ['d1.import.poll', 'after'],
      ['version.create', 'before'],
      ['deployment.create', 'after'],
    ] as const) {
      const outage = cloudflare.fail(kind, { when })
      const t = performance.now()
      const { code, stderr } = await run('import', 'acme', 'acme.sql')
      console.log(kind, when, performance.now() - t)
      expect(outage.hits, `${kind}: ${stderr}`).toBeGreaterThan(0)
      expect(code, kind).toBe(1)
      outage.end()
      await expectAnswers('other', other.key)
    }
    cloudflare.recover()
    resultOf(await run('import', 'acme', 'acme.sql'))
    expect(
      cloudflare.calls.filter(({ kind }) => /create|import/.test(kind)).map(({ kind }) => kind),
    ).toEqual(['version.create', 'deployment.create'])
    expectMoved(contents, await contentsOfTenant('acme'))
    await expectAnswers('acme', key)
  }, 240_000)
})
