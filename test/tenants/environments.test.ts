import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { experimental_readRawConfig, unstable_readConfig } from 'wrangler'
import { tenantOfBinding } from '../../src/engine/identity/binding.ts'
import { sample } from '../fixtures/depth.ts'
import { type Project, startProject } from '../fixtures/project.ts'

const CONFIG = 'wrangler.toml'
const SECRETS = ['SESSION_SECRET', 'WEBHOOK_SECRET_KEY']

const { rawConfig } = experimental_readRawConfig({ config: CONFIG })
const NAMES = Object.keys(rawConfig.env ?? {})
const { rawConfig: router } = experimental_readRawConfig({ config: 'wrangler.router.toml' })
const ROUTED = Object.keys(router.env ?? {})

const read = (env?: string) =>
  unstable_readConfig({ config: CONFIG, ...(env && { env }) }, { hideWarnings: true })

/** The environment of which this one is a group; itself for any other. */
const firstOf = (env: string) => {
  const [, first = ''] = /^(.+)-[1-9]\d*$/.exec(env) ?? []
  const domainOf = (name: string) => read(name).vars.BASE_DOMAIN
  return NAMES.includes(first) && domainOf(first) === domainOf(env) ? first : env
}

// Groups of an environment share all but Workers, tenants and the namespace of callers.
const FIRSTS = NAMES.filter((env) => firstOf(env) === env)
const routesOf = (env: string) => (ROUTED.includes(env) ? router.env?.[env] : read(env))?.routes

interface Bound {
  binding: string
  id?: string
  database_id?: string
  database_name?: string
  bucket_name?: string
}

/** Names of the interface Bindings in src/engine/env.ts. */
async function bindingsOfTheWorker(): Promise<string[]> {
  const source = await readFile('src/engine/env.ts', 'utf8')
  const [, body = ''] = /interface Bindings \{\n([\s\S]*?)\n\}/.exec(source) ?? []
  return [...body.matchAll(/^ {2}(\w+)\??:/gm)].map(([, name = '']) => name)
}

const boundTo = (
  env: string | undefined,
  kind: 'kv_namespaces' | 'd1_databases' | 'r2_buckets',
): Bound[] => read(env)[kind]

interface BoundClass {
  name: string
  class_name: string
  /** Of another Worker, which would be shared. */
  script_name?: string
}

const classesBoundTo = (env?: string): BoundClass[] => read(env).durable_objects.bindings

interface RateLimit {
  name: string
  namespace_id: string
  simple: { limit: number; period: number }
}

const rateLimitsOf = (env?: string): RateLimit[] => read(env).ratelimits

const datasetsOf = (env?: string): { binding: string; dataset: string }[] =>
  read(env).analytics_engine_datasets

/** Whatever an environment binds by name, its variables included. */
function namesIn(env: string): string[] {
  return (['kv_namespaces', 'd1_databases', 'r2_buckets'] as const)
    .flatMap((kind) => boundTo(env, kind))
    .map(({ binding }) => binding)
    .concat(classesBoundTo(env).map(({ name }) => name))
    .concat(rateLimitsOf(env).map(({ name }) => name))
    .concat(datasetsOf(env).map(({ binding }) => binding))
    .concat(Object.keys(read(env).vars))
    .concat(read(env).assets?.binding ?? [])
}

describe('wrangler.toml', () => {
  it('has staging and production', () => {
    expect(NAMES).toEqual(expect.arrayContaining(['staging', 'production']))
  })

  it.each(NAMES)('has all that is not inherited, and all that is, in %s', async (env) => {
    const { BASE_DOMAIN } = read(env).vars
    expect(read(env)).toMatchObject({
      name: `crossdock-${env}`,
      triggers: { crons: ['7-59/10 * * * *', '2-59/10 * * * *'] },
      observability: { enabled: true },
      workers_dev: false,
      preview_urls: false,
      assets: {
        directory: 'dist/assets',
        run_worker_first: expect.arrayContaining(['/api/*', '/dashboard/*', '/healthz/*']),
      },
    })
    const route = { pattern: `*.${BASE_DOMAIN}/*`, zone_name: expect.any(String) }
    expect(routesOf(firstOf(env))).toEqual([route])
    const { main, compatibility_date, compatibility_flags, build, minify } = read()
    const code = { main, compatibility_date, compatibility_flags, build, minify }
    expect(read(env)).toMatchObject(code)
    const { migrations, durable_objects } = read()
    expect(read(env)).toMatchObject({ migrations, durable_objects })
    const limits = (those: RateLimit[]) => those.map(({ name, simple }) => ({ name, simple }))
    expect(limits(rateLimitsOf(env))).toEqual(limits(rateLimitsOf()))
    const wanted = await bindingsOfTheWorker()
    expect(wanted).toEqual(expect.arrayContaining(['KEYS', 'BASE_DOMAIN', ...SECRETS]))
    // Who has no Cloudflare Access leaves it out.
    const plain = wanted.filter((name) => ![...SECRETS, 'ACCESS_ISSUER'].includes(name))
    expect(namesIn(env)).toEqual(expect.arrayContaining(plain))
  })

  it('has a migration for each class of Durable Objects, which are of the Worker itself', () => {
    const migrations: { new_sqlite_classes?: string[] }[] = read().migrations
    const made = migrations.flatMap(({ new_sqlite_classes = [] }) => new_sqlite_classes)
    const bound = classesBoundTo().map(({ class_name, script_name }) => [class_name, script_name])
    expect(bound).toEqual(made.map((name) => [name, undefined]))
  })

  it.each(NAMES)('has no secret in %s', (env) => {
    for (const name of SECRETS) expect(namesIn(env)).not.toContain(name)
  })

  it('keeps the environments apart: Workers, hosts, databases, caches, counters', () => {
    const everywhere = [undefined, ...FIRSTS]
    const databases = [undefined, ...NAMES].flatMap((env) => boundTo(env, 'd1_databases'))
    const buckets = everywhere.flatMap((env) => boundTo(env, 'r2_buckets'))
    const caches = [undefined, ...NAMES].flatMap((env) => boundTo(env, 'kv_namespaces'))
    for (const values of [
      [undefined, ...NAMES].map((env) => read(env).name),
      FIRSTS.map((env) => read(env).vars.BASE_DOMAIN),
      FIRSTS.map((env) => JSON.stringify(routesOf(env))),
      databases.map(({ database_id }) => database_id),
      databases.map(({ database_name }) => database_name),
      caches.flatMap(({ id }) => id ?? []),
      buckets.map(({ bucket_name }) => bucket_name),
      everywhere.flatMap((env) => datasetsOf(env).map(({ dataset }) => dataset)),
      everywhere.flatMap((env) => rateLimitsOf(env).map(({ namespace_id }) => namespace_id)),
    ]) {
      expect(values).toEqual([...new Set(values)])
    }
  })

  // The name of a database tells whose it is: `<worker>-<slug>`.
  it.each(NAMES)('names the databases of %s after its Worker', (env) => {
    const { name } = read(env)
    for (const { binding, database_name } of boundTo(env, 'd1_databases')) {
      expect(database_name).toBe(`${name}-${tenantOfBinding(binding)}`)
    }
  })
})

describe('wrangler deploy --dry-run', () => {
  let project: Project

  beforeAll(async () => {
    project = await startProject()
    const blocks = NAMES.map(
      (env) => `
[[env.${env}.d1_databases]]
binding = "DB_ONLY"
database_name = "crossdock-${env}-only"
database_id = "${crypto.randomUUID()}"
`,
    )
    await project.write(CONFIG, (await project.read(CONFIG)) + blocks.join(''))
  })
  afterAll(() => project.remove())

  it.each(sample(NAMES, 1))('takes %s as it is, with its own bindings alone', async (env) => {
    const { code, stdout, stderr } = await project.wrangler(['deploy', '--dry-run', '--env', env])
    expect(code, stderr).toBe(0)
    // Wrangler warns of what stands at the top level and is neither inherited nor here.
    const local = boundTo(undefined, 'd1_databases').map(({ binding }) => binding)
    const lacking = local.filter((name) => !namesIn(env).includes(name))
    const warnings = lacking.map((name) => expect.stringContaining(`"${name}" at the top level`))
    expect(stderr.match(/^ +- (?!"env).*/gm)).toEqual(warnings)
    const tenants = boundTo(env, 'd1_databases').map(
      ({ binding, database_name }) => [binding, database_name] as const,
    )
    const bound = [...stdout.matchAll(/^env\.(\w+)(?: \("?([^")]*)"?\))?/gm)]
    expect(Object.fromEntries(bound.map(([, name, value]) => [name, value]))).toEqual({
      KEYS: boundTo(env, 'kv_namespaces')[0]?.id,
      DOCUMENTS: boundTo(env, 'r2_buckets')[0]?.bucket_name,
      BASE_DOMAIN: read(env).vars.BASE_DOMAIN,
      ...Object.fromEntries(tenants),
      ...Object.fromEntries(classesBoundTo(env).map(({ name, class_name }) => [name, class_name])),
      ...Object.fromEntries(datasetsOf(env).map(({ binding, dataset }) => [binding, dataset])),
      ...Object.fromEntries(
        rateLimitsOf(env).map(({ name, simple: { limit, period } }) => [
          name,
          `${limit} requests/${period}s`,
        ]),
      ),
      DB_ONLY: `crossdock-${env}-only`,
    })
  })
})
