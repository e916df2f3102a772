import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Cloudflare, startCloudflare } from './cloudflare.ts'
import { resultOf, tenant } from './operator.ts'
import { type Project, startProject } from './project.ts'

type Call = Cloudflare['calls'][number]

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

async function expectMade(slug: string, settingsKey: string, otherKeys: string[] = []) {
  const name = `crossdock-staging-${slug}`
  const [database, ...others] = cloudflare.databases().filter((known) => known.name === name)
  expect(others).toEqual([])
  expect((await toml()).split(`database_name = "${name}"`)).toHaveLength(2)
  expect(await toml()).toContain(`database_id = "${database?.id}"`)
  const keys = await cloudflare.query(name, 'SELECT name, scopes FROM api_keys ORDER BY name')
  const scopes = '["settings.*"]'
  expect(keys).toEqual(['First settings key', ...otherKeys].map((key) => ({ name: key, scopes })))
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
        expect.objectContaining({ name: 'RATE_LIMITER', class_name: 'RateLimiter' }),
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

describe('npm run tenant -- create, of what is there in part', () => {
  it('gives a tenant its lost block back, and no new key', async () => {
    const before = await toml()
    const { settings_key } = resultOf(await create('found', '--json'))
    const whole = await toml()
    await project.write('wrangler.toml', before)
    const list = await run(['list'])
    expect(list.stdout).toContain('crossdock-staging-found has no block in wrangler.toml')
    expect(resultOf(await create('found', '--json'))).toEqual({
      tenant: 'found',
      base_url: 'https://found.staging.crossdock.example',
      settings_key: null,
    })
    expect(await toml()).toBe(whole)
    await expectMade('found', settings_key)
  }, 120_000)

  it('does not take a database elsewhere for one in the jurisdiction', async () => {
    cloudflare.create('crossdock-staging-abroad')
    const { code, stderr } = await create('abroad', '--jurisdiction', 'eu')
    expect(code).toBe(1)
    expect(stderr).toContain('crossdock-staging-abroad is there already, and not within eu')
    resultOf(await run(['remove', 'abroad', '--confirm', 'abroad', '--json']))
  }, 60_000)

  it('leaves the databases of an environment with a longer name alone', async () => {
    const before = await toml()
    await project.write(
      'wrangler.toml',
      `${before}
[env.staging-eu.vars]
BASE_DOMAIN = "eu.crossdock.example"
`,
    )
    cloudflare.create('crossdock-staging-eu-acme')
    for (const command of ['create', 'remove']) {
      const { code, stderr } = await run([command, 'eu-acme'])
      expect(code).toBe(2)
      expect(stderr).toContain("would be crossdock-staging-eu-acme, which is another environment's")
    }
    await project.write('wrangler.toml', before)
    await project.wrangler(['d1', 'delete', 'crossdock-staging-eu-acme', '-y'], cloudflare.env)
  }, 60_000)
})

describe('npm run tenant -- create, when Cloudflare fails', () => {
  interface Step {
    kind: string
    /** What a Worker's first deployment calls instead. */
    first?: string
    /** What the body of the call has in it. */
    having?: string
  }
  const MIGRATION = { kind: 'd1.query', having: 'CREATE TABLE workspace' }
  const WORKSPACE = { kind: 'd1.query', having: 'INSERT INTO workspace' }
  const MADE = { kind: 'd1.query', having: 'UPDATE api_keys SET name' }

  function fail({ kind, having }: Step, when: 'before' | 'after') {
    const where = having ? { where: ({ body }: Call) => JSON.stringify(body).includes(having) } : {}
    return cloudflare.fail(kind, { when, ...where })
  }

  async function expectFailed(slug: string, at: Step, when: 'before' | 'after') {
    const outages = [fail(at, when), ...(at.first ? [fail({ kind: at.first }, when)] : [])]
    const { code, stderr } = await create(slug)
    const hits = outages.reduce((sum, outage) => sum + outage.hits, 0)
    expect(hits, `${at.kind}: ${stderr}`).toBeGreaterThan(0)
    expect(code, at.kind).toBe(1)
    expect(stderr).not.toContain('xd_')
    for (const outage of outages) outage.end()
  }

  it('is finished by the next run, whichever step did not do its work', async () => {
    const [list, database] = [{ kind: 'd1.list' }, { kind: 'd1.create' }]
    const [upload, routes] = [
      { kind: 'version.create', first: 'script.put' },
      { kind: 'routes.put' },
    ]
    for (const at of [list, database, MIGRATION, WORKSPACE, upload, routes, MADE]) {
      await expectFailed('undone', at, 'before')
    }
    const { settings_key: extra } = resultOf(await run(['key', 'undone', '--json']))
    const proxy = { HTTPS_PROXY: 'http://127.0.0.1:9' }
    const silent = await run(['create', 'undone', '--wait', '1'], proxy)
    expect(silent.stderr).toContain(
      'undone.staging.crossdock.example does not answer for undone yet',
    )
    const created = resultOf(await create('undone', '--json'))
    await expectMade('undone', created.settings_key, ['Settings key made by the operator'])
    expect(await workspaceOf('undone', extra)).toMatchObject({ data: { tenant: 'undone' } })
  }, 300_000)

  it('is finished by the next run, whichever step did its work unheard', async () => {
    const [database, deployment] = [
      { kind: 'd1.create' },
      { kind: 'deployment.create', first: 'script.put' },
    ]
    for (const at of [database, MIGRATION, WORKSPACE, deployment]) {
      await expectFailed('unheard', at, 'after')
    }
    const outage = fail(MADE, 'after')
    const created = resultOf(await create('unheard', '--json'))
    expect(outage.hits).toBeGreaterThan(0)
    await expectMade('unheard', created.settings_key)
  }, 300_000)

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
