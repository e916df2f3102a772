import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { unstable_getMiniflareWorkerOptions as getWorkerOptions } from 'wrangler'
import { mintKey } from '../src/engine/identity/key.ts'
import buildWorker from '../test/fixtures/served-build.ts'
import { createTenant } from './server.ts'

// Plain HTTP is for this machine only.
const DOMAIN = 'crossdock.localhost'
const TENANTS = ['demo', 'other'] as const
const SECRET = 'for tests only, for tests only, for tests only'
const LOOPBACK = [{ host: '127.0.0.1', port: 0 }]

type Tenant = (typeof TENANTS)[number]

export interface Groups {
  /** `http://127.0.0.1:<port>` of the router, and of the first group without it. */
  router: string
  direct: string
  /** The host of a tenant, for the header. */
  hostOf: (tenant: string) => string
  /** A key of each tenant with every scope, and its database. */
  keys: Record<Tenant, string>
  databases: Record<Tenant, D1Database>
  close: () => Promise<void>
}

/** The built router before two built Workers, each with a tenant, as they would be deployed. `log` gets their output. */
export async function startGroups({ log = console.error } = {}): Promise<Groups> {
  await buildWorker()
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      host: '127.0.0.1',
      port: 0,
      cf: false,
      handleStructuredLogs: ({ message }) => log(message),
      workers: [routerOptions(), ...TENANTS.map(groupOptions)],
    }),
  )
  await miniflare.ready
  const entries = await miniflare.getKVNamespace('GROUPS', 'router')
  const keys = { demo: '', other: '' }
  const databases: Partial<Groups['databases']> = {}
  for (const [index, tenant] of TENANTS.entries()) {
    const key = await mintKey(tenant)
    const db = await miniflare.getD1Database(`DB_${tenant.toUpperCase()}`, nameOf(index))
    await createTenant(db, tenant, key)
    await entries.put(tenant, String(index + 1))
    keys[tenant] = key.value
    databases[tenant] = db
  }
  const originOf = async (name: string) => (await miniflare.unsafeGetDirectURL(name)).origin
  return {
    router: await originOf('router'),
    direct: await originOf(nameOf(0)),
    hostOf: (tenant) => `${tenant}.${DOMAIN}`,
    keys,
    databases: databases as Groups['databases'],
    close: () => miniflare.dispose(),
  }
}

function nameOf(index: number): string {
  return `group-${index + 1}`
}

function routerOptions() {
  const { workerOptions } = getWorkerOptions('wrangler.router.toml')
  const groups = TENANTS.map((_, index) => [`GROUP_${index + 1}`, nameOf(index)])
  return {
    ...workerOptions,
    ...moduleAt('dist/router/index.js'),
    name: 'router',
    bindings: { BASE_DOMAIN: DOMAIN },
    kvNamespaces: { GROUPS: 'groups' },
    ratelimits: {
      FAILED_LOOKUPS: { namespace_id: '7100', simple: { limit: 99, period: 60 as const } },
    },
    serviceBindings: Object.fromEntries(groups),
    unsafeDirectSockets: LOOPBACK,
  }
}

function groupOptions(tenant: Tenant, index: number) {
  const { workerOptions } = getWorkerOptions('wrangler.toml')
  return {
    ...workerOptions,
    ...moduleAt('dist/worker/index.js'),
    name: nameOf(index),
    bindings: { BASE_DOMAIN: DOMAIN, SESSION_SECRET: SECRET },
    d1Databases: { [`DB_${tenant.toUpperCase()}`]: tenant },
    unsafeDirectSockets: LOOPBACK,
  }
}

function moduleAt(path: string) {
  return { modules: [{ type: 'ESModule' as const, path }], modulesRoot: '.' }
}
