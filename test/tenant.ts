import { applyD1Migrations, createExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { mintKey } from '../src/engine/identity/key.ts'
import worker, { type RateLimiter } from '../src/index.ts'
import { lookAtAnswer } from './secrets/answer.ts'
import { outgoing } from './secrets/outgoing.ts'

declare global {
  namespace Cloudflare {
    interface Env {
      KEYS: KVNamespace
      RATE_LIMITER: DurableObjectNamespace<RateLimiter>
      FAILED_LOOKUPS: RateLimit
      ASSETS: Fetcher
      DB_DEMO: D1Database
      DOCUMENTS: R2Bucket
      DB_OTHER: D1Database
      MIGRATIONS: { name: string; queries: string[] }[]
    }
  }
}

export { unique } from './unique.ts'

export const ORIGIN = 'https://demo.example'
const DATABASES = { demo: env.DB_DEMO, other: env.DB_OTHER }
export type Tenant = keyof typeof DATABASES

/** A JSON value whose members a test may reach for without ceremony. */
// biome-ignore lint/suspicious/noExplicitAny: an answer is whatever came over the wire
export type Json = any

export interface Answer {
  status: number
  headers: Headers
  text: string
  body: Json
}

export type Worker = { fetch: (request: Request, env: Json, context: ExecutionContext) => unknown }

export interface CallOptions {
  /** Another isolate of the same Worker, see `freshIsolate`. */
  worker?: Worker
  /** Bindings to use instead of the real ones, such as counted ones. */
  bindings?: object
  origin?: string
  headers?: Record<string, string>
}

const opened = new Map<Tenant, Promise<D1Database>>()

/** The tenant's database, migrated, with its workspace row. */
export function openTenant(tenant: Tenant = 'demo'): Promise<D1Database> {
  const database = opened.get(tenant) ?? migrated(tenant)
  opened.set(tenant, database)
  return database
}

async function migrated(tenant: Tenant): Promise<D1Database> {
  const db = DATABASES[tenant]
  await applyD1Migrations(db, allAtOnce(env.MIGRATIONS))
  const now = new Date().toISOString()
  await db
    .prepare(
      `insert or ignore into workspace (id, tenant, name, created_at, updated_at)
       values (1, ?, 'Test', ?, ?)`,
    )
    .bind(tenant, now, now)
    .run()
  return db
}

/** In one batch, for a database that has none of them: in a batch of its own each takes three times as long. */
function allAtOnce(migrations: typeof env.MIGRATIONS): typeof env.MIGRATIONS {
  const name = migrations.at(-1)?.name ?? ''
  const queries = migrations.flatMap((each) => [
    ...each.queries,
    ...(each.name === name ? [] : [`insert into d1_migrations (name) values ('${each.name}')`]),
  ])
  return [{ name, queries }]
}

/** Changes what every caller of the tenant rests on, and back: nobody's snapshot is current. */
export async function outdateCallers(tenant: Tenant = 'demo'): Promise<void> {
  const flip = 'update workspace set integration_enabled = 1 - integration_enabled'
  const db = DATABASES[tenant]
  await db.batch([db.prepare(flip), db.prepare(flip)])
}

export interface KeyOptions {
  tenant?: Tenant
  name?: string
  expires_at?: string
  revoked_at?: string
}

/** A key of the tenant, as the tenant command would make it; gives id and value. */
export async function createKey(scopes = ['integrations.*'], options: KeyOptions = {}) {
  const { tenant = 'demo', name = 'test key', expires_at = null, revoked_at = null } = options
  const db = await openTenant(tenant)
  const { value, hash, hint } = await mintKey(tenant)
  const id = crypto.randomUUID()
  await db
    .prepare(
      `insert into api_keys (id, hash, hint, name, scopes, expires_at, revoked_at, created_at)
       values (?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    .bind(
      id,
      hash,
      hint,
      name,
      JSON.stringify(scopes),
      expires_at,
      revoked_at,
      new Date().toISOString(),
    )
    .run()
  return { id, value, hash }
}

/**
 * Sends a request through the Worker's entry. `afterwards` waits for all that the Worker does when it
 * has answered, and throws what that throws, which the platform would keep to itself.
 */
export async function dispatch(request: Request, options: CallOptions = {}) {
  const { worker: target = worker as Worker, bindings = env } = options
  const context = createExecutionContext()
  const underway: Promise<unknown>[] = []
  context.waitUntil = (promise) => {
    underway.push(promise)
  }
  const response = (await target.fetch(request, bindings, context)) as Response
  const text = await response.text()
  const { status, headers } = response
  lookAtAnswer(outgoing, { method: request.method, url: request.url, status, headers, text })
  const answer: Answer = { status, headers, text, body: parse(text) }
  const afterwards = async () => {
    while (underway.length > 0) await Promise.all(underway.splice(0))
  }
  return { answer, afterwards }
}

/** As `dispatch`, and waits. */
export async function send(request: Request, options: CallOptions = {}): Promise<Answer> {
  const { answer, afterwards } = await dispatch(request, options)
  await afterwards()
  return answer
}

/** A client of one key; paths are relative to `/api/integrations/v1` unless they start with /api. */
export function client(key: string | null, options: CallOptions = {}) {
  const call = (method: string, path: string, body?: unknown, more: CallOptions = {}) => {
    const merged = { ...options, ...more }
    return send(requestOf(method, path, body, key, merged), merged)
  }
  return {
    call,
    get: (path: string, more?: CallOptions) => call('GET', path, undefined, more),
    post: (path: string, body?: unknown, more?: CallOptions) => call('POST', path, body, more),
    put: (path: string, body?: unknown, more?: CallOptions) => call('PUT', path, body, more),
    delete: (path: string, body?: unknown, more?: CallOptions) => call('DELETE', path, body, more),
  }
}

export type Api = ReturnType<typeof client>

/** Who may do everything, to prepare what a request is about. */
export async function openAdmin(tenant: Tenant = 'demo'): Promise<Api> {
  return client((await createKey(['integrations.*', 'settings.*'], { tenant })).value)
}

function requestOf(
  method: string,
  path: string,
  body: unknown,
  key: string | null,
  { origin = ORIGIN, headers = {} }: CallOptions,
): Request {
  const url = origin + (path.startsWith('/api') ? path : `/api/integrations/v1${path}`)
  const sent = body === undefined ? undefined : bodyOf(body)
  return new Request(url, {
    method,
    redirect: 'manual',
    headers: {
      ...(key !== null && { 'X-API-Key': key }),
      ...(sent !== undefined && { 'Content-Type': 'application/json' }),
      ...(sent instanceof Uint8Array && { 'Content-Length': String(sent.length) }),
      ...headers,
    },
    ...(sent !== undefined && { body: sent }),
  })
}

/** Bytes, whose length a client says; or a stream, of which it does not know. */
function bodyOf(body: unknown): Uint8Array | ReadableStream {
  if (body instanceof Uint8Array || body instanceof ReadableStream) return body
  return new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body))
}

function parse(text: string): Json {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
