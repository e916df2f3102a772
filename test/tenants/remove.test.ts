import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Cloudflare, startCloudflare } from './cloudflare.ts'
import { contentsOf, differencesBetween } from './contents.ts'
import { filling } from './fill.ts'
import { placeTenant } from './new-tenant.ts'
import { resultOf, tenant } from './operator.ts'
import { type Project, startProject } from './project.ts'
import { clientOf } from './visitor.ts'

const SLUGS = ['acme', 'gone', 'stays'] as const
type Slug = (typeof SLUGS)[number]

let cloudflare: Cloudflare
let project: Project
const keys = new Map<Slug, string>()

beforeAll(async () => {
  ;[cloudflare, project] = await Promise.all([startCloudflare(), startProject()])
  for (const slug of SLUGS)
    keys.set(slug, await placeTenant(cloudflare, project, slug, filling(20)))
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
const nameOf = (slug: Slug) => `crossdock-staging-${slug}`
const api = (slug: Slug) =>
  clientOf(cloudflare, `https://${slug}.staging.crossdock.example`, keys.get(slug) ?? '')
const contentsOfTenant = (slug: Slug) => contentsOf((sql) => cloudflare.query(nameOf(slug), sql))
const exists = (file: string) =>
  stat(join(project.folder, file)).then(
    () => true,
    () => false,
  )

function order(slug: Slug, order_number: string) {
  const items = [{ sku_code: 'SKU-1', quantity: 1 }]
  return api(slug).data('POST', '/orders/', { order_number, items })
}

/** Does it right before each call of the kind. */
function onCall(kind: string, work: () => Promise<unknown>) {
  const where = () => work().then(() => false)
  return cloudflare.fail(kind, { when: 'before', where })
}

async function contentsOfFile(file: string) {
  const db = new DatabaseSync(':memory:')
  db.exec(await project.read(file))
  return await contentsOf((sql) => db.prepare(sql).all())
}

describe('npm run tenant -- export', () => {
  it('leaves no half a file, whichever step failed, and a whole one the next time', async () => {
    for (const [kind, when] of [
      ['d1.export', 'before'],
      ['d1.export.poll', 'before'],
      ['d1.export.download', 'before'],
      ['d1.query', 'after'],
    ] as const) {
      const outage = cloudflare.fail(kind, { when })
      const { code, stderr } = await run('export', 'acme', 'acme.sql')
      expect(outage.hits, `${kind}: ${stderr}`).toBeGreaterThan(0)
      expect(code, kind).toBe(1)
      expect([await exists('acme.sql'), await exists('acme.sql.part')]).toEqual([false, false])
      outage.end()
    }
    const { tables } = resultOf(await run('export', 'acme', 'acme.sql'))
    const contents = await contentsOfTenant('acme')
    expect(differencesBetween(contents, await contentsOfFile('acme.sql'))).toEqual([])
    expect(tables).toMatchObject({ orders: contents.orders?.length, workspace: 1 })
    expect((await stat(join(project.folder, 'acme.sql'))).mode & 0o777).toBe(0o600)
  }, 120_000)

  it('is refused when rows or texts are lost on the way', async () => {
    const losses = [
      (dump: string) => dump.replace(/INSERT INTO "inventory".*\n/, ''),
      (dump: string) => dump.replace('荷荷', '荷'),
    ]
    cloudflare.onDownload = (dump) => losses.shift()?.(dump) ?? dump
    const { code, stderr } = await run('export', 'acme', 'lossy.sql')
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/^The export is not complete: \w+: \d+ of \d+ octets\.$/m),
    })
    expect([await exists('lossy.sql'), await exists('lossy.sql.part')]).toEqual([false, false])
  }, 60_000)

  it('has all that is there at its end, of a tenant that is written to meanwhile', async () => {
    let written = 0
    onCall('d1.export.download', () => order('acme', `meanwhile-${++written}`))
    resultOf(await run('export', 'acme', 'busy.sql'))
    expect(written).toBe(2)
    const numbers = (await contentsOfFile('busy.sql')).orders?.join() ?? ''
    expect(numbers).toContain('meanwhile-1')
    expect(numbers).not.toContain('meanwhile-2')
  }, 60_000)
})

describe('npm run tenant -- remove', () => {
  it('is finished by the next run, whichever step failed, and takes along what came in', async () => {
    const args = ['remove', 'gone', '--confirm', 'gone', '--export', 'gone.sql']
    const fail = async (kind: string) => {
      const outage = cloudflare.fail(kind, { when: 'before' })
      const { code, stderr } = await run(...args)
      expect(outage.hits, `${kind}: ${stderr}`).toBeGreaterThan(0)
      expect(code, kind).toBe(1)
      outage.end()
      expect(await api('stays').data('GET', '/orders/SO-1/')).toMatchObject({ status: 'pending' })
    }
    await fail('d1.export')
    await fail('version.create')
    await order('gone', 'between')
    const late = onCall('version.create', () => order('gone', 'late'))
    await fail('d1.delete')
    late.end()
    expect((await contentsOfFile('gone.sql.draft')).orders?.join()).toContain('"late"')
    const contents = await contentsOfTenant('gone')
    cloudflare.fail('d1.delete', { when: 'after' })
    resultOf(await run(...args))
    expect(differencesBetween(contents, await contentsOfFile('gone.sql'))).toEqual([])
    expect(await exists('gone.sql.draft')).toBe(false)
    expect(cloudflare.databases().map(({ name }) => name)).toEqual([
      'crossdock-staging-acme',
      'crossdock-staging-stays',
    ])
    expect(await project.read('wrangler.toml')).not.toContain('gone')
  }, 240_000)
})
