import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ACCOUNT, emptyAccount, TOKEN } from './account.ts'
import { createDatabase, d1Endpoints } from './d1.ts'
import { identityEndpoints } from './identity.ts'
import type { Outage, OutageOptions } from './outages.ts'
import type { RecordedCall } from './record.ts'
import { startRuntime } from './runtime.ts'
import { startApi } from './server.ts'
import { transferEndpoints } from './transfer.ts'

export interface Cloudflare {
  /** For programs that call wrangler: token, account, where the API is. */
  env: Record<string, string>
  /** Every call that has come, in order. */
  calls: RecordedCall[]
  /** What was not understood. Empty at the end of every test, or the stand-in has told lies. */
  unexpected: string[]
  /** While true, every token is refused. */
  signedOut: boolean
  /** Calls of a kind fail from now on; see record.ts for kinds. Unknown kinds throw. */
  fail: (kind: string, options: OutageOptions) => Outage
  /** Ends every outage, signs in again, and forgets the calls. */
  recover: () => void
  databases: () => DatabaseSummary[]
  /** Makes a database past the API; gives its id. */
  create: (name: string) => string
  /** Rows of a database, by its name, past the API. */
  query: (name: string, sql: string) => Promise<Record<string, unknown>[]>
  close: () => Promise<void>
}

export interface DatabaseSummary {
  name: string
  id: string
  jurisdiction: string | null
  location: string | null
}

/** Cloudflare on loopback: its API in front of one Miniflare. */
export async function startCloudflare(): Promise<Cloudflare> {
  const folder = await mkdtemp(join(tmpdir(), 'cloudflare-'))
  const [runtime, api] = await Promise.all([startRuntime(folder), startApi()])
  const account = emptyAccount()
  api.add([
    ...identityEndpoints(account),
    ...d1Endpoints(account, runtime),
    ...transferEndpoints(account, runtime, api.origin),
  ])
  const databases = () =>
    [...account.databases.values()].map(({ uuid, name, jurisdiction, location }) => ({
      name,
      id: uuid,
      jurisdiction,
      location,
    }))
  return {
    env: {
      CLOUDFLARE_API_BASE_URL: `${api.origin}/client/v4`,
      CLOUDFLARE_API_TOKEN: TOKEN,
      CLOUDFLARE_ACCOUNT_ID: ACCOUNT.id,
    },
    calls: api.calls,
    unexpected: api.unexpected,
    get signedOut() {
      return api.signedOut
    },
    set signedOut(value) {
      api.signedOut = value
    },
    fail: (kind, options) => {
      if (!api.kinds.has(kind)) throw new Error(`There is no call "${kind}".`)
      return api.outages.start(kind, options)
    },
    recover: () => {
      api.outages.endAll()
      api.signedOut = false
      api.calls.length = 0
    },
    databases,
    create: (name) => createDatabase(account, runtime, { name }).uuid,
    query: async (name, sql) => {
      const database = databases().find((known) => known.name === name)
      if (!database) throw new Error(`There is no database ${name}.`)
      const [result] = await runtime.query(database.id, [{ sql }])
      return result?.results ?? []
    },
    close: async () => {
      await Promise.all([api.close(), runtime.close()])
      await rm(folder, { recursive: true, force: true })
    },
  }
}
