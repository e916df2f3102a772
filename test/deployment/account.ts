import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { vi } from 'vitest'
import { Failure } from '../../scripts/failure.ts'
import { bindingNameOf } from '../../src/engine/identity/binding.ts'

// A project and an account of Cloudflare for the programs of scripts/, within this process: test files put `wrangler` at the
// place of scripts/tenant/wrangler.ts. test/tenants/cloudflare.ts is the whole one, for wrangler itself.

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
const MIGRATION = '0001_first.sql'
const SECRETS = ['SESSION_SECRET', 'WEBHOOK_SECRET_KEY']
const API = 'https://api.cloudflare.com/client/v4'
export const NAMESPACE = 'entries'

export interface Version {
  id: string
  /** `<version>+<migration>`. */
  tag: string
  code: string
}

export interface Account {
  /** Names of databases; each is its own id. */
  databases: string[]
  /** Of each Worker: the version that serves first, then those before it. */
  versions: Record<string, Version[]>
  /** Of each Worker: the names of its secrets. */
  secrets: Record<string, string[]>
  /** Of the router. */
  entries: Record<string, string>
  /** Titles; each is its own id. */
  namespaces: string[]
  /** Keys of the bucket's objects. */
  objects: string[]
  /** What was called and changes something, such as `deploy production` and `roll crossdock-production to v1`. */
  changes: string[]
  /** Runs before a change; what it throws is the call's failure. */
  before: (change: string) => unknown
  /** The status of a tenant's host. */
  statusOf: (slug: string) => number
  /** What was printed on stdout and stderr. */
  printed: () => string
  read: (file: string) => Promise<string>
  write: (file: string, text: string) => Promise<void>
  wrangler: (args: string[], input?: string) => Promise<string>
  close: () => Promise<void>
}

/** The blocks of an environment or group as the project has them, with its tenants. */
export function blocksOf(name: string, tenants: string[], { more = '', vars = '' } = {}): string {
  const database = (slug: string) => `
[[env.${name}.d1_databases]]
binding = "${bindingNameOf(slug)}"
database_name = "crossdock-${name}-${slug}"
database_id = "crossdock-${name}-${slug}"
`
  return `[env.${name}]
${more}
[env.${name}.vars]
BASE_DOMAIN = "crossdock.example"
${vars}
[[env.${name}.kv_namespaces]]
binding = "KEYS"
id = "keys of ${name}"

[[env.${name}.r2_buckets]]
binding = "DOCUMENTS"
bucket_name = "documents"

[[env.${name}.ratelimits]]
name = "FAILED_LOOKUPS"
namespace_id = "1"
simple = { limit = 99, period = 60 }
${tenants.map(database).join('')}`
}

export const ROUTES =
  'routes = [{ pattern = "*.crossdock.example/*", zone_name = "crossdock.example" }]'

/** The router before `groups` Workers of production; with the routes unless said. */
export function routerOf(groups: number, routes = ROUTES): string {
  const services = Array.from({ length: groups }, (_, at) => {
    const worker = at === 0 ? 'crossdock-production' : `crossdock-production-${at + 1}`
    return `
[[env.production.services]]
binding = "GROUP_${at + 1}"
service = "${worker}"
`
  })
  return `name = "crossdock-router"

[env.production]
${routes}

[env.production.vars]
BASE_DOMAIN = "crossdock.example"

[[env.production.kv_namespaces]]
binding = "GROUPS"
id = "${NAMESPACE}"

[[env.production.ratelimits]]
name = "FAILED_LOOKUPS"
namespace_id = "1"
simple = { limit = 99, period = 60 }
${services.join('')}`
}

/** Acme in the first group of production and bravo in the second, whose Workers serve the code of this folder. */
export async function startAccount(): Promise<Account> {
  const home = process.cwd()
  const listening = SIGNALS.map((signal) => process.listeners(signal))
  const folder = await mkdtemp(join(tmpdir(), 'account-'))
  await mkdir(join(folder, 'migrations'))
  const files = {
    'wrangler.toml': `name = "crossdock"\n\n${blocksOf('production', ['acme'])}\n${blocksOf('production-2', ['bravo'])}`,
    'wrangler.router.toml': routerOf(2),
    'package.json': '{"version": "0.2.0"}',
    [`migrations/${MIGRATION}`]: 'SELECT 1;',
  }
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
  process.chdir(folder)
  vi.stubEnv('CLOUDFLARE_API_BASE_URL', API)
  vi.stubEnv('CLOUDFLARE_ACCOUNT_ID', 'account')
  vi.stubEnv('CLOUDFLARE_API_TOKEN', 'token-for-tests')
  const printed: string[] = []
  vi.spyOn(console, 'log').mockImplementation((line) => printed.push(`${line}\n`))
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => printed.push(`${text}`) > 0)
  const serving = [{ id: 'now', tag: '0.2.0+0001', code: 'new' }]
  const account: Account = {
    databases: ['crossdock-production-acme', 'crossdock-production-2-bravo'],
    versions: { 'crossdock-production': serving, 'crossdock-production-2': serving },
    secrets: { 'crossdock-production': [...SECRETS], 'crossdock-production-2': [...SECRETS] },
    entries: { acme: '1', bravo: '2' },
    namespaces: [],
    objects: [],
    changes: [],
    before: () => {},
    statusOf: () => 200,
    printed: () => printed.join(''),
    read: (file) => readFile(join(folder, file), 'utf8'),
    write: (file, text) => writeFile(join(folder, file), text),
    wrangler: (args, input) => wrangler(account, args, input),
    close: async () => {
      process.chdir(home)
      // A program ends its process on a signal; this one has others to run.
      for (const [at, signal] of SIGNALS.entries()) {
        for (const each of process.listeners(signal)) {
          if (!listening[at]?.includes(each)) process.off(signal, each)
        }
      }
      vi.unstubAllGlobals()
      vi.unstubAllEnvs()
      vi.restoreAllMocks()
      await rm(folder, { recursive: true })
    },
  }
  vi.stubGlobal('fetch', (url: string, init: RequestInit = {}) => answer(account, url, init))
  return account
}

async function change(account: Account, what: string): Promise<void> {
  await account.before(what)
  account.changes.push(what)
}

async function wrangler(account: Account, args: string[], input?: string): Promise<string> {
  const [command = '', verb = '', third = '', title = ''] = args
  const env = args[args.indexOf('--env') + 1]
  const called = [command, verb].filter((word) => !word.startsWith('-')).join(' ')
  if (called === 'd1 list') {
    return JSON.stringify(account.databases.map((name) => ({ uuid: name, name })))
  }
  if (called === 'kv namespace' && third === 'list') {
    return JSON.stringify(account.namespaces.map((each) => ({ id: `id of ${each}`, title: each })))
  }
  if (called === 'kv namespace') {
    await change(account, `create ${title}`)
    account.namespaces.push(title)
    return ''
  }
  if (called === 'secret bulk') {
    const names = Object.keys(JSON.parse(input ?? ''))
    await change(account, `secrets ${names.join(', ')} of ${env}`)
    const others = account.secrets[`crossdock-${env}`] ?? []
    account.secrets[`crossdock-${env}`] = [...new Set([...others, ...names])]
    return ''
  }
  if (called === 'deploy') {
    await change(
      account,
      `deploy ${args.includes('wrangler.router.toml') ? 'router of ' : ''}${env}`,
    )
    return ''
  }
  throw new Failure(`wrangler ${args.join(' ')} is not known here.`)
}

const json = (result: unknown, more = {}) =>
  Response.json({ success: true, errors: [], result, ...more })
const refusal = (status: number, code: number) =>
  Response.json({ success: false, result: null, errors: [{ code, message: 'no' }] }, { status })

async function answer(account: Account, url: string, init: RequestInit): Promise<Response> {
  const [, slug] = /^https:\/\/([\w-]+)\.crossdock\.example\/healthz\/$/.exec(url) ?? []
  if (slug !== undefined) {
    const data = { tenant: slug, migration: MIGRATION, migrations: 1 }
    return Response.json({ success: true, data }, { status: account.statusOf(slug) })
  }
  const { pathname } = new URL(url)
  const path = pathname.replace(`${new URL(API).pathname}/`, '').replace('accounts/account/', '')
  const parts = path.split('/')
  const body = init.body === undefined ? null : JSON.parse(String(init.body))
  const asked = `${init.method} ${path}`
  if (parts[1] === 'scripts') return await script(account, parts, init.method === 'POST', body)
  if (asked === `PUT storage/kv/namespaces/${NAMESPACE}/bulk`) {
    await change(account, 'write entries')
    for (const { key, value } of body) account.entries[key] = value
    return json(null)
  }
  if (asked.startsWith(`GET storage/kv/namespaces/${NAMESPACE}/values/`)) {
    const value = account.entries[`${parts.at(-1)}`]
    return value === undefined ? refusal(404, 10_009) : new Response(value)
  }
  if (asked.startsWith(`DELETE storage/kv/namespaces/${NAMESPACE}/values/`)) {
    await change(account, `forget ${parts.at(-1)}`)
    return json(null)
  }
  if (asked === 'GET r2/buckets/documents') return json({})
  if (asked === 'GET r2/buckets/documents/objects') {
    return json(account.objects.map((key) => ({ key, size: 1 })))
  }
  throw new Failure(`${asked} is not known here.`)
}

async function script(
  { versions, secrets, ...account }: Account,
  [, , worker = '', what, id]: string[],
  isChange: boolean,
  body: { versions: { version_id: string }[] } | null,
): Promise<Response> {
  const known = versions[worker] ?? []
  if (isChange) {
    const [chosen] = body?.versions ?? []
    await change(account as Account, `roll ${worker} to ${chosen?.version_id}`)
    versions[worker] = [...known.filter((each) => each.id === chosen?.version_id), ...known]
    return json({})
  }
  if (known.length === 0) return refusal(404, 10_007)
  if (what === 'secrets') return json((secrets[worker] ?? []).map((name) => ({ name })))
  if (what === 'deployments') {
    const deployments = known.map((each, at) => ({
      id: `deployment ${at}`,
      created_on: new Date(Date.UTC(2026, 10, 20) - at * 60_000).toISOString(),
      versions: [{ version_id: each.id, percentage: 100 }],
    }))
    return json({ deployments })
  }
  if (what === 'versions' && id === undefined) {
    const metadata = { created_on: new Date(Date.UTC(2026, 10, 20)).toISOString() }
    return json({ items: known.map((each) => ({ id: each.id, metadata })) })
  }
  const version = known.find((each) => each.id === id)
  const bindings = [{ type: 'd1', name: bindingNameOf(worker.endsWith('-2') ? 'bravo' : 'acme') }]
  return json({
    id,
    annotations: { 'workers/tag': version?.tag },
    resources: {
      bindings: [
        ...bindings.map((each) => ({
          ...each,
          id: `${worker}-${worker.endsWith('-2') ? 'bravo' : 'acme'}`,
        })),
        ...(secrets[worker] ?? []).map((name) => ({ type: 'secret_text', name })),
      ],
      script: { etag: version?.code },
      script_runtime: { migration_tag: null },
    },
  })
}
