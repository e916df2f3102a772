import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Cloudflare, startCloudflare } from './cloudflare.ts'
import { resultOf, tenant } from './operator.ts'
import { type Project, startProject } from './project.ts'

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

const run = (args: string[], env = {}) =>
  tenant(project, [...args, '--env', 'staging'], { ...cloudflare.env, ...env })
const create = (slug: string, ...options: string[]) => run(['create', slug, ...options])
const toml = () => project.read('wrangler.toml')

async function workspaceOf(slug: string, key: string) {
  const url = `https://${slug}.staging.crossdock.example/api/settings/v1/workspace/`
  return await (await cloudflare.fetch(url, { headers: { 'X-API-Key': key } })).json()
}

async function expectMade(slug: string, settingsKey: string) {
  const name = `crossdock-staging-${slug}`
  const [database, ...others] = cloudflare.databases().filter((known) => known.name === name)
  expect(others).toEqual([])
  expect((await toml()).split(`database_name = "${name}"`)).toHaveLength(2)
  expect(await toml()).toContain(`database_id = "${database?.id}"`)
  const keys = await cloudflare.query(name, 'SELECT name, scopes FROM api_keys')
  expect(keys).toEqual([{ name: 'First settings key', scopes: '["settings.*"]' }])
  expect(await workspaceOf(slug, settingsKey)).toMatchObject({ data: { tenant: slug } })
}

describe('npm run tenant -- create, at Cloudflare', () => {
  it('makes a tenant that answers at its host, and only there', async () => {
    const before = await toml()
    const created = resultOf(await create('acme', '--jurisdiction', 'eu', '--json'))
    expect(created).toEqual({
      tenant: 'acme',
      base_url: 'https://acme.staging.crossdock.example',
      settings_key: expect.stringMatching(/^xd_acme_/),
    })
    await expectMade('acme', created.settings_key)
    expect(cloudflare.databases()).toEqual([
      expect.objectContaining({ name: 'crossdock-staging-acme', jurisdiction: 'eu' }),
    ])

    const [namespace, ...more] = cloudflare.namespaces()
    expect(more).toEqual([])
    expect(await toml()).toContain(`[[env.staging.kv_namespaces]]
binding = "KEYS"
id = "${namespace?.id}"`)
    const kept = (await toml()).replace(`id = "${namespace?.id}"\n`, '')
    expect(kept.startsWith(before)).toBe(true)
    const [script, ...others] = cloudflare.scripts()
    expect(others).toEqual([])
    expect(script).toMatchObject({
      name: 'crossdock-staging',
      routes: ['*.staging.crossdock.example/*'],
      crons: ['17 3 * * *'],
    })
    expect(script?.bindings).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ name: 'BASE_DOMAIN', text: 'staging.crossdock.example' }),
        expect.objectContaining({ name: 'KEYS', namespace_id: namespace?.id }),
        expect.objectContaining({ name: 'DB_ACME', type: 'd1' }),
      ]),
    )
    expect(await workspaceOf('other', created.settings_key)).toMatchObject({
      error: { code: 'KEY_INVALID' },
    })

    cloudflare.recover()
    const again = await create('acme')
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('acme exists in stag') })
    expect(cloudflare.calls.filter(({ kind }) => !['d1.list', 'd1.query'].includes(kind))).toEqual(
      [],
    )
    await expectMade('acme', created.settings_key)
  }, 120_000)

  it('changes nothing without a login, and says how to get one', async () => {
    const before = await toml()
    cloudflare.signedOut = true
    const { code, stderr } = await create('nobody')
    expect(code).toBe(1)
    expect(stderr).toContain('Sign in first: npx wrangler login')
    expect(await toml()).toBe(before)
    expect(cloudflare.databases().map(({ name }) => name)).not.toContain('crossdock-staging-nobody')
  }, 60_000)

  it('changes nothing when it is a dry run', async () => {
    const before = await toml()
    const { steps } = resultOf(await create('planned', '--dry-run', '--json'))
    expect(steps).toContain('make the database crossdock-staging-planned')
    expect(steps).toContain('deploy crossdock-staging')
    expect(await toml()).toBe(before)
    expect(
      cloudflare.calls.every(({ method, kind }) => method === 'GET' || kind === 'd1.query'),
    ).toBe(true)
  }, 60_000)

  it('does not deploy past a tenant that wrangler.toml lacks', async () => {
    cloudflare.create('crossdock-staging-elsewhere')
    cloudflare.create('crossdock-staging')
    cloudflare.create('crossdock-production-beta')
    const before = await toml()
    const { code, stderr } = await create('late')
    expect(code).toBe(1)
    expect(stderr).toContain(
      'wrangler.toml has no block for crossdock-staging-elsewhere: a deployment',
    )
    expect(await toml()).toBe(before)
    const dropped = await run(['remove', 'elsewhere', '--confirm', 'elsewhere', '--json'])
    expect(resultOf(dropped)).toEqual({ tenant: 'elsewhere', removed: true, export: null })
    await project.wrangler(['d1', 'delete', 'crossdock-production-beta', '-y'], cloudflare.env)
  }, 120_000)
})

describe('npm run tenant -- create, when Cloudflare fails', () => {
  const MIGRATION = 'CREATE TABLE workspace'
  const WORKSPACE = 'INSERT OR IGNORE INTO workspace'
  const steps = [
    { kind: 'd1.list' },
    { kind: 'd1.create' },
    { kind: 'd1.query', having: MIGRATION },
    { kind: 'd1.query', having: WORKSPACE },
    { kind: 'assets.session' },
    { kind: 'version.create' },
    { kind: 'deployment.create' },
    { kind: 'routes.put' },
  ]

  it.each(['before', 'after'] as const)(
    'is finished by the next run, whichever step failed %s its work',
    async (when) => {
      const slug = `chain-${when}`
      for (const { kind, having } of steps) {
        const outage = cloudflare.fail(kind, {
          when,
          ...(having && { where: ({ body }) => JSON.stringify(body).includes(having) }),
        })
        const failed = await create(slug)
        expect(failed.code, kind).toBe(1)
        expect(failed.stderr).toMatch(/failed|wrangler/)
        expect(failed.stderr).not.toContain('xd_')
        expect(outage.hits, `${kind}: ${failed.stderr}`).toBeGreaterThan(0)
        outage.end()
      }
      const silent = await run(['create', slug, '--wait', '1'], {
        HTTPS_PROXY: 'http://127.0.0.1:9',
      })
      expect(silent).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('does not answer for'),
      })
      const created = resultOf(await create(slug, '--json'))
      await expectMade(slug, created.settings_key)
    },
    300_000,
  )

  it('makes one KV namespace, whichever deployment failed after it', async () => {
    const args = ['create', 'first', '--env', 'production']
    for (const [kind, when] of [
      ['kv.create', 'before'],
      ['kv.create', 'after'],
      ['script.put', 'before'],
    ] as const) {
      const outage = cloudflare.fail(kind, { when })
      const { code, stderr } = await tenant(project, args, cloudflare.env)
      expect(outage.hits, `${kind}: ${stderr}`).toBeGreaterThan(0)
      expect(code, kind).toBe(1)
      outage.end()
    }
    resultOf(await tenant(project, [...args, '--json'], cloudflare.env))
    const namespaces = cloudflare.namespaces().filter(({ title }) => title.includes('production'))
    expect(namespaces).toHaveLength(1)
    expect(await toml()).toContain(`[[env.production.kv_namespaces]]
binding = "KEYS"
id = "${namespaces[0]?.id}"`)
  }, 180_000)
})
