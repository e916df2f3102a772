import type { Meter } from './db/connect.ts'
import type { TenantDatabase } from './db/transact.ts'
import type { ApiError, ErrorCode } from './errors.ts'
import type { Place } from './gate.ts'
import type { Caller, CallerOrigin, CallerSources } from './identity/caller.ts'
import type { RateLimiter, Turn } from './rate-limiter.ts'
import type { EndpointChange, Release } from './releases/release.ts'
import type { SourceOf } from './source.ts'
import type { Warning } from './warnings.ts'

/** Beside these, `DB_<TENANT>`: a D1 database for each tenant (db/binding.ts). */
export interface Bindings {
  /** Cache of callers (identity/caller.ts). */
  KEYS: KVNamespace
  /** An object for each key that has a rate limit (middleware/rate-limit.ts). */
  RATE_LIMITER: DurableObjectNamespace<RateLimiter>
  /** Signs the dashboard's sessions; at least 32 characters. Without it nobody signs in. */
  SESSION_SECRET?: string
  /** Where set, a tenant is served at `<tenant>.<BASE_DOMAIN>` and nowhere else. */
  BASE_DOMAIN?: string
}

/** One request and its answer. It outlives a replay: the second pass goes on with the first's. */
export interface Exchange {
  readonly url: URL
  /** Percent-encoded where that is needed and nowhere else; cut for the log. */
  readonly path: string
  readonly request_id: string
  readonly started_at: number
  readonly meter: Meter
  replayed: boolean
  /** Counted for its key's rate limit; unknown where nobody answered. Kept for a replay. */
  turn: Turn | 'unknown' | null
  /** Its place in the in-flight gate, while it holds one. */
  inside: Place | null
  /** Of a large body: its places in the gates of middleware/large-bodies.ts, while it holds them. */
  arrival: Place | null
  work: Place | null
  /** The body's size is within bounds, once that has been asked; kept for a replay. */
  measured: Promise<unknown> | null
  /** The parsed body, or the refusal of it, once it has been read; kept for a replay. */
  payload: Promise<unknown> | null
  /** What a request is about that writes nothing and is no GET, for the audit row. */
  record_id: string | null
  /** Set by `authenticate` as soon as the key is known, even if it is then refused. */
  caller: KnownCaller | null
  /** The error that was answered, for the audit row. */
  error: { code: ErrorCode; status: number } | null
}

export interface KnownCaller {
  caller: Caller
  origin: CallerOrigin
  sources: CallerSources
  db: TenantDatabase
}

export interface AppEnv {
  Bindings: Bindings
  Variables: {
    exchange: Exchange
    caller: Caller
    db: TenantDatabase
    /** What the caller's key is pinned to; outside the integrations API the current one. */
    release: Release
    /** What the release does otherwise at the endpoint that is asked. */
    change: EndpointChange | null
    warnings: Warning[]
    /** Where a partner's own document has one of our fields; set once that is mapped. */
    sourceOf?: SourceOf
    /** Our record as the partner wants to see it; set where it has an outbound mapping. */
    outbound?: (record: object) => object
    /** Shows a form of the dashboard as it was sent, with what is wrong in it. */
    showForm?: (error: ApiError) => Response | Promise<Response>
  }
}
