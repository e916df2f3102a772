import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Project, startProject } from '../../fixtures/project.ts'
import { type Cloudflare, startCloudflare } from '../cloudflare.ts'

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

const wrangler = (...args: string[]) => project.wrangler(args, cloudflare.env)
const namespaceTitled = (wanted: string) =>
  cloudflare.namespaces().find(({ title }) => title === wanted)
const scriptNamed = (name: string) => cloudflare.scripts().find((script) => script.name === name)

interface Small {
  /** The Worker's whole configuration, but for its name, main and route. */
  config?: string
  /** What it answers with as JSON; `env` and `request` are at hand. */
  answer?: string
  /** Beside its one handler. */
  code?: string
}

/** A Worker of a few lines at <name>.crossdock.example, deployed in half the project's time. */
async function deploySmall(name: string, { config = '', answer = 'null', code = '' }: Small = {}) {
  await project.write(
    `${name}.js`,
    `${code}
export default { fetch: async (request, env) => Response.json((${answer}) ?? null) }`,
  )
  await project.write(
    `${name}.toml`,
    `# Nothing is written back.
name = "${name}"
main = "${name}.js"
compatibility_date = "2026-11-01"
workers_dev = false
routes = [{ pattern = "${name}.crossdock.example/*", zone_name = "crossdock.example" }]
${config}`,
  )
  return await wrangler('deploy', '--config', `${name}.toml`)
}

const answerOf = async (name: string) =>
  (await cloudflare.fetch(`https://${name}.crossdock.example/`)).json()

describe('wrangler deploy', () => {
  it('serves the project to its tenants, with static files', async () => {
    const id = cloudflare.create('crossdock-staging-acme')
    await project.write(
      'wrangler.toml',
      `${await project.read('wrangler.toml')}
[[env.staging.d1_databases]]
binding = "DB_ACME"
database_name = "crossdock-staging-acme"
database_id = "${id}"
migrations_dir = "migrations"
`,
    )
    const { code } = await wrangler('deploy', '--env', 'staging')
    expect(code).toBe(0)
    const namespace = namespaceTitled('crossdock-staging-keys')
    expect(scriptNamed('crossdock-staging')).toEqual({
      name: 'crossdock-staging',
      routes: ['*.staging.crossdock.example/*'],
      crons: ['7-59/10 * * * *', '2-59/10 * * * *'],
      observability: {
        enabled: true,
        logs: { enabled: true, invocation_logs: false },
        traces: { enabled: false, head_sampling_rate: 0.01 },
      },
      bindings: expect.arrayContaining([
        { type: 'd1', name: 'DB_ACME', id },
        { type: 'kv_namespace', name: 'KEYS', namespace_id: namespace?.id },
        {
          type: 'r2_bucket',
          name: 'DOCUMENTS',
          bucket_name: 'crossdock-staging-documents',
        },
        { type: 'durable_object_namespace', name: 'RATE_LIMITER', class_name: 'RateLimiter' },
        {
          type: 'ratelimit',
          name: 'FAILED_LOOKUPS',
          namespace_id: '1',
          simple: { limit: 99, period: 60 },
        },
        { type: 'analytics_engine', name: 'METRICS', dataset: 'crossdock_staging' },
        { type: 'plain_text', name: 'BASE_DOMAIN', text: 'staging.crossdock.example' },
      ]),
    })
    const host = 'https://acme.staging.crossdock.example'
    const [orders, reader] = await Promise.all([
      cloudflare.fetch(`${host}/api/integrations/v1/orders/`),
      cloudflare.fetch(`${host}/docs/`),
    ])
    expect(await orders.json()).toMatchObject({ error: { code: 'KEY_MISSING' } })
    expect(await reader.text()).toContain('<!doctype html>')
  })

  it('gives a Worker a rate limit that counts, each name for itself', async () => {
    const { code } = await deploySmall('limited', {
      config: `[[ratelimits]]
name = "LIMIT"
namespace_id = "7"
simple = { limit = 2, period = 60 }`,
      answer: `[await env.LIMIT.limit({ key: 'a' }), await env.LIMIT.limit({ key: 'a' }),
        await env.LIMIT.limit({ key: 'a' }), await env.LIMIT.limit({ key: 'b' })]`,
    })
    expect(code).toBe(0)
    const [passes, fails] = [{ success: true }, { success: false }]
    expect(await answerOf('limited')).toEqual([passes, passes, fails, passes])
  })

  it('leads programs to a Worker that is bound to what came with it', async () => {
    const id = cloudflare.create('bound')
    await cloudflare.query('bound', "create table t as select 'a row' as a")
    const first = await deploySmall('bound', {
      config: `[vars]
WORD = "a variable"
LIST = [1, 2]
[[kv_namespaces]]
binding = "CACHE"
[[d1_databases]]
binding = "DB"
database_id = "${id}"`,
      answer: `[new URL(request.url).host, env.WORD, env.LIST, await env.DB.prepare('select a from t').first('a'),
        await env.CACHE.put('key', 'a value'), await env.CACHE.get('key')]`,
    })
    expect(first.code).toBe(0)
    const asked = await project.run(
      ['-e', "fetch('https://bound.crossdock.example/').then((r) => r.text()).then(console.log)"],
      cloudflare.env,
    )
    expect(asked).toMatchObject({ code: 0, stderr: '' })
    const answer = ['bound.crossdock.example', 'a variable', [1, 2], 'a row', null, 'a value']
    expect(JSON.parse(asked.stdout)).toEqual(answer)
  })

  it('keeps a namespace that has no id in a config with comments', async () => {
    const config = '[[kv_namespaces]]\nbinding = "CACHE"'
    await deploySmall('cached', { config, answer: `await env.CACHE.put('key', 'kept')` })
    await answerOf('cached')
    const before = await project.read('cached.toml')
    const { code } = await deploySmall('cached', { config, answer: `await env.CACHE.get('key')` })
    expect(code).toBe(0)
    expect(await answerOf('cached')).toBe('kept')
    expect(await project.read('cached.toml')).toBe(before)
    const titles = cloudflare.namespaces().map(({ title }) => title)
    expect(titles.filter((title) => title.startsWith('cached'))).toEqual(['cached-cache'])
  })

  it('leaves other hosts to nobody', async () => {
    const { status } = await cloudflare.fetch('https://nobody.crossdock.example/')
    expect(status).toBe(530)
    const elsewhere = await project.run(
      ['-e', "fetch('https://elsewhere.example/').catch(() => console.log('refused'))"],
      cloudflare.env,
    )
    expect(elsewhere.stdout).toBe('refused\n')
  })

  it('wants databases and namespaces that are there', async () => {
    const config = `[[d1_databases]]\nbinding = "DB"\ndatabase_id = "${crypto.randomUUID()}"`
    const database = await deploySmall('unfounded', { config })
    expect(database.stderr).toContain('[code: 10021]')
    const kv = `[[kv_namespaces]]\nbinding = "KEYS"\nid = "${'0'.repeat(32)}"`
    const namespace = await deploySmall('unfounded', { config: kv })
    expect(namespace.stderr).toContain('[code: 10041]')
    expect(scriptNamed('unfounded')).toBeUndefined()
  })

  it('is refused a route that another Worker has', async () => {
    await deploySmall('first')
    await project.write(
      'second.toml',
      (await project.read('first.toml')).replace('name = "first"', 'name = "second"'),
    )
    const { code, stderr } = await wrangler('deploy', '--config', 'second.toml')
    expect(code).toBe(1)
    expect(stderr).toContain('already assigned to routes')
    expect(scriptNamed('second')).toMatchObject({ routes: [] })
  })
})

describe('wrangler deploy of Durable Objects', () => {
  const binding = `[[durable_objects.bindings]]
name = "COUNTER"
class_name = "Counter"
`
  const migration = (tag: string, name: string) => `[[migrations]]
tag = "${tag}"
new_sqlite_classes = ["${name}"]
`
  const counter = (name: string) => `
export class ${name} extends DurableObject {
  count() {
    const { kv } = this.ctx.storage
    kv.put('count', (kv.get('count') ?? 0) + 1)
    return kv.get('count')
  }
}`
  const IMPORT = "import { DurableObject } from 'cloudflare:workers'"
  const code = IMPORT + counter('Counter')
  const answer = `await env.COUNTER.getByName('one').count()`
  const migrationsOf = (name: string) =>
    cloudflare.calls
      .filter(
        ({ kind, params }) => /^(script.put|version.create)$/.test(kind) && params.script === name,
      )
      .map(({ body }) => (body as { metadata: { migrations?: object } }).metadata.migrations)

  it('makes their classes once, and keeps what they hold from then on', async () => {
    const config = binding + migration('first', 'Counter')
    await deploySmall('counting', { config, code, answer })
    expect([await answerOf('counting'), await answerOf('counting')]).toEqual([1, 2])
    await deploySmall('counting', { config, code, answer })
    expect(await answerOf('counting')).toBe(3)
    const more = {
      config: config + migration('second', 'Another'),
      code: code + counter('Another'),
    }
    expect(await deploySmall('counting', { ...more, answer })).toMatchObject({ code: 0 })
    expect(await answerOf('counting')).toBe(4)
    expect(migrationsOf('counting')).toEqual([
      { new_tag: 'first', steps: [{ new_sqlite_classes: ['Counter'] }] },
      undefined,
      { old_tag: 'first', new_tag: 'second', steps: [{ new_sqlite_classes: ['Another'] }] },
    ])
  })

  it('wants a class that has been made', async () => {
    const { stderr } = await deploySmall('unmade', { config: binding, code, answer })
    expect(stderr).toContain('[code: 10061]')
    expect(scriptNamed('unmade')).toBeUndefined()
  })

  it('wants every class that has been made', async () => {
    const config = migration('first', 'Counter')
    await deploySmall('forgetful', { config: binding + config, code, answer })
    const { stderr } = await deploySmall('forgetful', { config, answer: '"without it"' })
    expect(stderr).toContain('[code: 10064]')
    expect(await answerOf('forgetful')).toBe(1)
  })
})

describe('wrangler secret', () => {
  it('outlives a deployment, and only its name is told', async () => {
    const answer = 'env.SECRET'
    await deploySmall('secretive', { answer })
    const args = ['secret', 'put', 'SECRET', '--config', 'secretive.toml']
    expect(await project.wrangler(args, cloudflare.env, 'hush')).toMatchObject({ code: 0 })
    expect(await answerOf('secretive')).toBe('hush')
    await deploySmall('secretive', { answer })
    expect(await answerOf('secretive')).toBe('hush')
    const { stdout } = await wrangler('secret', 'list', '--config', 'secretive.toml')
    expect(JSON.parse(stdout)).toEqual([{ name: 'SECRET', type: 'secret_text' }])
  })
})

describe('wrangler kv namespace', () => {
  it('makes one of a title and lists it', async () => {
    await wrangler('kv', 'namespace', 'create', 'titled')
    const { stdout } = await wrangler('kv', 'namespace', 'list')
    expect(JSON.parse(stdout)).toContainEqual(
      expect.objectContaining({ ...namespaceTitled('titled') }),
    )
  })
})

describe('a deployment that fails', () => {
  it('is refused to a token that counts no more', async () => {
    cloudflare.signedOut = true
    const { code, stderr } = await deploySmall('signed-out')
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('code: 10000') })
  })

  it('is finished by the next one', async () => {
    cloudflare.fail('routes.put', { when: 'before' })
    const first = await deploySmall('unrouted', { answer: '1' })
    expect(first).toMatchObject({ code: 1, stderr: expect.stringContaining('partially updated') })
    expect((await cloudflare.fetch('https://unrouted.crossdock.example/')).status).toBe(530)
    cloudflare.recover()
    expect(await deploySmall('unrouted', { answer: '1' })).toMatchObject({ code: 0 })
    expect(await answerOf('unrouted')).toBe(1)
  })

  it('serves what it served while a new version does not come', async () => {
    await deploySmall('steady', { answer: '"old"' })
    const outage = cloudflare.fail('version.create', { when: 'before', as: 'cut' })
    expect(await deploySmall('steady', { answer: '"new"' })).toMatchObject({ code: 1 })
    expect(outage.hits).toBeGreaterThan(1)
    expect(await answerOf('steady')).toBe('old')
  })

  // As the real API has it; wrangler does not look for one that it has made before.
  it('after it has made a namespace finds its title taken from then on', async () => {
    const config = '[[kv_namespaces]]\nbinding = "KEYS"'
    cloudflare.fail('script.put', { when: 'before' })
    expect(await deploySmall('orphaned', { config })).toMatchObject({ code: 1 })
    cloudflare.recover()
    const { code, stderr } = await deploySmall('orphaned', { config })
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('code: 10014') })
  })
})

describe('what is not understood', () => {
  it('is refused and remembered', async () => {
    expect(await wrangler('queues', 'list')).toMatchObject({ code: 1 })
    expect(cloudflare.unexpected.splice(0)).toEqual([
      expect.stringMatching(/^GET \/client\/v4\/accounts\/\w+\/queues: no such endpoint$/),
    ])
  })
})
