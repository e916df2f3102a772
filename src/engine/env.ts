import type { Explanation, RecordCounts } from './db/audit-row.ts'
import type { Meter } from './db/connect.ts'
import type { ListPage } from './db/tables.ts'
import type { TenantDatabase } from './db/transact.ts'
import type { ApiError, ErrorCode, ErrorReason } from './errors.ts'
import type { ParsedDocument } from './formats/format.ts'
import type { Address } from './identifiers/address.ts'
import type { Caller } from './identity/caller.ts'
import type { CallerOrigin, CallerSources } from './identity/look-up.ts'
import type { Tags } from './json/entity-tags.ts'
import type { JsonObject } from './json/json-object.ts'
import type { SourceOf } from './json/source.ts'
import type { Warning } from './json/warnings.ts'
import type { Share } from './limits/budget.ts'
import type { Pace } from './limits/pace.ts'
import type { RateLimiter, Turn } from './limits/rate-limiter.ts'
import type { SentDocument } from './log/documents/keep.ts'
import type { Attempt } from './log/key-attempts.ts'
import type { CodeAt } from './mapping/item-code.ts'
import type { SavedRules } from './mapping/saved-rule.ts'
import type { EndpointChange, Release } from './releases/release.ts'

/** What the objects of DELIVERIES can be asked. */
type Waker = Rpc.DurableObjectBranded & { wake: (tenant: string) => Promise<void> }

/** The Worker also has one D1 binding per tenant, `DB_<TENANT>` (engine/identity/binding.ts). */
export interface Bindings {
  /** Caches callers (engine/identity/caller-kv.ts). Notes where the turns of the cron stand (engine/cron/run.ts). */
  KEYS: KVNamespace
  /** One object for each key with a rate limit (middleware/rate-limit.ts). */
  RATE_LIMITER: DurableObjectNamespace<RateLimiter>
  /** One object for each tenant with waiting deliveries (src/deliveries/driver.ts). */
  DELIVERIES: DurableObjectNamespace<Waker>
  /** Counts look-ups of keys that do not exist (engine/limits/closed-networks.ts). */
  FAILED_LOOKUPS: RateLimit
  /** Takes data points (engine/metrics/points.ts). Without it there are none. */
  METRICS?: AnalyticsEngineDataset
  /** Documents that are kept. Without it none can be. */
  DOCUMENTS?: R2Bucket
  /** The static assets of the build. */
  ASSETS: Fetcher
  /** Signs the dashboard's sessions. At least 32 characters; without it nobody can sign in. */
  SESSION_SECRET?: string
  /**
   * Encrypts the secrets that tenants enter for their webhooks. At least 32 characters; without it none can be stored. Its
   * successors are `WEBHOOK_SECRET_KEY_2` and so on (engine/webhooks/secret-keys.ts).
   */
  WEBHOOK_SECRET_KEY?: string
  /**
   * Where Cloudflare Access issues tokens, `https://<team>.cloudflareaccess.com`. With it, and the variable
   * `ACCESS_AUD_<TENANT>`, people sign in to the tenant's dashboard by their e-mail address.
   */
  ACCESS_ISSUER?: string
  /** If set, each tenant is served only at `<tenant>.<BASE_DOMAIN>`. */
  BASE_DOMAIN?: string
}

/** One request and its response. A rerun continues it (engine/exchange/rerun.ts). */
export interface Exchange {
  readonly url: URL
  /** For the log: percent-encoding normalized, API keys hidden, at most 2,000 characters. */
  readonly path: string
  readonly request_id: string
  readonly started_at: number
  /** How long it has waited for something to answer with. The log does not count that time. */
  waited_ms: number
  readonly meter: Meter
  /** It asks what it would do, and writes nothing. */
  readonly dry_run: boolean
  /** How long it has waited for its turns (engine/exchange/memory.ts). */
  queued_ms: number
  /** What a rerun reuses from the passes before it. */
  readonly kept: Kept
  /**
   * The record that the audit row names where no write does: set by a preview or a sign-in. Of one record of a document
   * with several, the request of the document.
   */
  record_id: string | null
  /** The name by which caller and warehouse know the record: an order number, a SKU, a location code. */
  record_name: string | null
  /** The status in its audit row, where its sender hears another one; else null. */
  logged_status: number | null
  /** Null for what is no list, and for one that has one page. */
  list_page: ListPage | null
  /** Why a part of an upload failed. It is added to the upload's audit row after the answer. */
  explanation: Explanation | null
  /** Of a document with several records. What was not tried counts as failed: it has to be sent again. */
  record_counts: RecordCounts | null
  /** Set as soon as the key is found, even if it is expired or revoked. */
  caller: KnownCaller | null
  /** The error in the response, for the audit row. */
  error: AnsweredError | null
  /** The id of the request that this one repeats; set from inside only. */
  readonly replay_of: string | null
  /** Set if the key is refused and a tenant counts that. */
  attempt: Attempt | null
}

export interface Kept {
  /** The request's place under its key's rate limit; `unknown` if the counter did not answer. */
  turn: Turn | 'unknown' | null
  /** A share of the isolate's memory (engine/exchange/memory.ts). */
  memory: Share | null
  /** It has given back all that it held. */
  hasEnded: boolean
  /** A share of the memory for large documents. */
  largeWork: Share | null
  /** A place among the exports that its key may have in progress. */
  exporting: Share | null
  /** Counts its long work; null until its key is known. */
  pace: Pace | null
  /** What the request brought and was answered, if it may have to be kept. */
  document: SentDocument | null
  /** Until when it waits for something to answer with, in ms since 1970. */
  waits_until: number | null
  /** The body as sent, of a request that reads it twice; rejects with the error if it was refused. */
  bytes: Promise<Uint8Array> | null
  /** The parsed body; rejects with the error if the body was refused. */
  payload: Promise<Payload> | null
}

export interface AnsweredError {
  code: ErrorCode
  reason: ErrorReason | null
  status: number
  explanation: Explanation
}

export interface Payload extends Partial<ParsedDocument> {
  value: unknown
  /** The size of the body as sent. */
  bytes: number
}

export interface KnownCaller {
  caller: Caller
  origin: CallerOrigin
  sources: CallerSources
  db: TenantDatabase
}

/** Fields of a record that a body has, and that its request does not set. */
export interface Fixed {
  /** Those that name the record of a PUT. Other values than the record's are refused. */
  names: JsonObject
  /** Other values than the record's have no effect. */
  others: JsonObject
}

/** The app's answer to a request that it makes itself. */
export type Dispatch = (request: Request) => Response | Promise<Response>

export interface AppEnv {
  Bindings: Bindings
  Variables: {
    exchange: Exchange
    /** Passes a request of the Worker's own to the app (engine/exchange/acting.ts). */
    dispatch: Dispatch
    caller: Caller
    db: TenantDatabase
    /** The release that the caller's key is pinned to; outside the integrations API the current one. */
    release: Release
    /** How that release differs at the requested endpoint. */
    change: EndpointChange | null
    /** The record that the path names; set by `identifier`. */
    address: Address
    /** The query parameters that the endpoint knows; set by `query`. */
    parameters: readonly string[]
    warnings: Warning[]
    /** What the body has of a record's other fields, which the request does not set (engine/body/fixed.ts). */
    fixed?: Fixed
    /** Elements that the mapping passes over. These warnings come before all others. */
    passedOver?: Warning[]
    /** Gives a field's path in the partner's own document; set once the document is mapped. */
    sourceOf?: SourceOf
    /** Which texts of the mapped document are item codes; null if none is. */
    codeAt?: CodeAt | null
    /** Gives our record in the partner's shape; set if the partner has an outbound mapping. */
    outbound?: (record: object) => object
    /** The rules behind `outbound`. */
    outboundRules?: SavedRules
    /** The header with a condition that the endpoint heeds. */
    heeds?: 'If-Match' | 'If-None-Match'
    /** What that header names; undefined without it. */
    named?: Tags | undefined
    /** Shows a dashboard form as it was sent, with its errors. */
    showForm?: (error: ApiError) => Response | Promise<Response>
  }
}
