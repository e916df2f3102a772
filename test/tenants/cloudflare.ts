import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { lookAtResponse } from '../fixtures/secrets/answer.ts'
import { lookInFiles } from '../fixtures/secrets/files.ts'
import { outgoing } from '../fixtures/secrets/outgoing.ts'
import {
  ACCOUNT,
  type Binding,
  type Bucket,
  emptyAccount,
  type Namespace,
  servingVersion,
  TOKEN,
} from './cloudflare/account.ts'
import { AssetUploads } from './cloudflare/assets.ts'
import { createDatabase, d1Endpoints } from './cloudflare/d1.ts'
import { startEdge } from './cloudflare/edge.ts'
import { identityEndpoints } from './cloudflare/identity.ts'
import { kvEndpoints } from './cloudflare/kv.ts'
import type { Outage, OutageOptions } from './cloudflare/outages.ts'
import { createBucket, r2Endpoints } from './cloudflare/r2.ts'
import type { RecordedCall } from './cloudflare/record.ts'
import { type Statement, startRuntime } from './cloudflare/runtime.ts'
import { scriptEndpoints } from './cloudflare/scripts.ts'
import { startApi } from './cloudflare/server.ts'
import { History, timeTravelEndpoints } from './cloudflare/time-travel.ts'
import { asItIs, type Downloads, transferEndpoints } from './cloudflare/transfer.ts'
import { triggerEndpoints } from './cloudflare/triggers.ts'
import { zoneEndpoints } from './cloudflare/zone.ts'

export interface Cloudflare {
  /** For programs that call wrangler or a Worker: token, account, where the API is, the way to Workers. */
  env: Record<string, string>
  /** While true, lists of deployments do not have the last one yet. */
  lags: boolean
  /** Every call that has come, in order. */
  calls: RecordedCall[]
  /** What was not understood. Empty at the end of every test, or the stand-in has told lies. */
  unexpected: string[]
  /** What deployed Workers have logged. */
  logs: string[]
  /** While true, every token is refused. */
  signedOut: boolean
  /** Calls of a kind fail from now on; see record.ts for kinds. Unknown kinds throw. */
  fail: (kind: string, options: OutageOptions) => Outage
  /** Ends every outage, signs in again, and forgets the calls. */
  recover: () => void
  databases: () => DatabaseSummary[]
  namespaces: () => Namespace[]
  buckets: () => Bucket[]
  /** Deployed Workers. */
  scripts: () => ScriptSummary[]
  /** Makes a database past the API; gives its id. */
  create: (name: string) => string
  /** Rows of a database, by its name, past the API. */
  query: (name: string, sql: string) => Promise<Record<string, unknown>[]>
  /** Puts objects into a bucket, by its name, past the API. Makes the bucket. */
  put: (bucket: string, objects: Record<string, string>) => Promise<void>
  /** The keys of a bucket's first 1,000 objects, by its name, past the API. */
  keys: (bucket: string) => Promise<string[]>
  /** All statements in one transaction, past the API. */
  write: (name: string, statements: Statement[]) => Promise<void>
  /** The values of a KV namespace, by its title, past the API. */
  values: (title: string) => Promise<Record<string, string>>
  /** Makes the database of now one to which it can be set back, by its name; gives the time, in ISO 8601. */
  mark: (name: string) => Promise<string>
  /** What a dump is on its way down to whoever has asked for it. As it was, after recover(). */
  onDownload: (dump: string) => string
  /** A visit of a deployed Worker, such as `https://acme.staging.crossdock.example/healthz/`. */
  fetch: (url: string, init?: RequestInit) => Promise<Response>
  /** Runs the cron of a deployed Worker, by its name, as of the time. */
  runCron: (worker: string, time: Date) => Promise<void>
  close: () => Promise<void>
}

export interface DatabaseSummary {
  name: string
  id: string
  jurisdiction: string | null
  location: string | null
}

export interface ScriptSummary {
  name: string
  bindings: Binding[]
  routes: string[]
  crons: string[]
  observability: unknown
}

/** Cloudflare on loopback: its API in front of one Miniflare. */
export async function startCloudflare(): Promise<Cloudflare> {
  const folder = await mkdtemp(join(tmpdir(), 'cloudflare-'))
  const [runtime, api] = await Promise.all([startRuntime(folder), startApi()])
  const account = emptyAccount()
  const history = new History(runtime)
  const downloads: Downloads = { rewrite: asItIs }
  const assets = new AssetUploads(account, join(folder, 'assets'))
  api.add([
    ...identityEndpoints(),
    ...d1Endpoints(account, runtime),
    ...timeTravelEndpoints(account, history),
    ...transferEndpoints(account, runtime, api.origin, downloads),
    ...kvEndpoints(account, runtime),
    ...r2Endpoints(account, runtime),
    ...assets.endpoints(),
    ...scriptEndpoints(account, assets),
    ...triggerEndpoints(account),
    ...zoneEndpoints(account),
  ])
  const edge = await startEdge(account, runtime)
  const databases = () =>
    [...account.databases.values()].map(({ uuid, name, jurisdiction, location }) => ({
      name,
      id: uuid,
      jurisdiction,
      location,
    }))
  const idOf = (name: string) => {
    const database = databases().find((known) => known.name === name)
    if (!database) throw new Error(`There is no database ${name}.`)
    return database.id
  }
  return {
    env: {
      CLOUDFLARE_API_BASE_URL: `${api.origin}/client/v4`,
      CLOUDFLARE_API_TOKEN: TOKEN,
      CLOUDFLARE_ACCOUNT_ID: ACCOUNT.id,
      HTTPS_PROXY: edge.proxy,
      NO_PROXY: '127.0.0.1,localhost',
      NODE_USE_ENV_PROXY: '1',
      NODE_TLS_REJECT_UNAUTHORIZED: '0',
      NODE_NO_WARNINGS: '1',
    },
    calls: api.calls,
    unexpected: api.unexpected,
    logs: runtime.logs,
    get lags() {
      return account.lags
    },
    set lags(value) {
      account.lags = value
    },
    get signedOut() {
      return api.signedOut
    },
    set signedOut(value) {
      api.signedOut = value
    },
    get onDownload() {
      return downloads.rewrite
    },
    set onDownload(rewrite) {
      downloads.rewrite = rewrite
    },
    fail: (kind, options) => {
      if (!api.kinds.has(kind)) throw new Error(`There is no call "${kind}".`)
      return api.outages.start(kind, options)
    },
    recover: () => {
      api.outages.endAll()
      api.signedOut = false
      account.lags = false
      downloads.rewrite = asItIs
      api.calls.length = 0
    },
    databases,
    namespaces: () => [...account.namespaces.values()],
    buckets: () => [...account.buckets.values()],
    scripts: () =>
      [...account.scripts.values()].map((script) => {
        const { name, routes, crons, observability } = script
        const { bindings = [] } = servingVersion(script) ?? {}
        return { name, bindings, routes, crons, observability }
      }),
    put: async (name, objects) => {
      const { id } = account.buckets.get(name) ?? createBucket(account, runtime, name)
      await runtime.putObjects(id, objects)
    },
    keys: async (name) => {
      const bucket = account.buckets.get(name)
      if (!bucket) throw new Error(`There is no bucket ${name}.`)
      return (await runtime.objects(bucket.id, {})).objects.map(({ key }) => key)
    },
    values: async (title) => {
      const namespace = [...account.namespaces.values()].find((known) => known.title === title)
      if (!namespace) throw new Error(`There is no namespace ${title}.`)
      return await runtime.values(namespace.id)
    },
    mark: async (name) => new Date((await history.mark(idOf(name))).at).toISOString(),
    create: (name) => createDatabase(account, runtime, { name }).uuid,
    query: async (name, sql) => {
      const [result] = await runtime.query(idOf(name), [{ sql }])
      return result?.results ?? []
    },
    write: async (name, statements) => {
      await runtime.query(idOf(name), statements)
    },
    fetch: async (url, init) => {
      const response = await edge.fetch(url, init)
      await lookAtResponse(outgoing, init?.method ?? 'GET', url, response)
      return response
    },
    runCron: edge.runCron,
    close: async () => {
      outgoing.look('the log of a deployed Worker', runtime.logs.join('\n'))
      await lookInFiles(outgoing, folder)
      await Promise.all([edge.close(), api.close(), runtime.close()])
      await rm(folder, { recursive: true, force: true })
    },
  }
}
