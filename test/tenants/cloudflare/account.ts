export const TOKEN = 'operator-token-for-tests-only-0123456789'
export const ACCOUNT = { id: 'a11ce0a11ce0a11ce0a11ce0a11ce0aa', name: 'Crossdock' }
export const ZONE = { id: 'cafe0000cafe0000cafe0000cafe0000', name: 'crossdock.example' }

export interface Database {
  uuid: string
  name: string
  created_at: string
  jurisdiction: string | null
  /** The location hint that was asked for. */
  location: string | null
}

export interface Namespace {
  id: string
  title: string
}

export interface Bucket {
  name: string
  /** Of the runtime's bucket that holds its objects. */
  id: string
  jurisdiction: string | null
  /** The location hint that was asked for. */
  location: string | null
  created_at: string
}

export interface RateLimit {
  limit: number
  /** In seconds. */
  period: 10 | 60
}

export type Binding =
  | { type: 'plain_text' | 'secret_text'; name: string; text: string }
  | { type: 'json'; name: string; json: unknown }
  | { type: 'kv_namespace'; name: string; namespace_id: string }
  | { type: 'd1'; name: string; id: string }
  | { type: 'r2_bucket'; name: string; bucket_name: string; jurisdiction?: string | undefined }
  | { type: 'durable_object_namespace'; name: string; class_name: string }
  | { type: 'ratelimit'; name: string; namespace_id: string; simple: RateLimit }
  | { type: 'analytics_engine'; name: string; dataset: string }
  | { type: 'service'; name: string; service: string }
  | { type: 'assets'; name: string }

export interface Module {
  path: string
  /** Of the upload's part, such as `application/javascript+module`. */
  type: string
  contents: Uint8Array
}

export interface StaticAssets {
  /** A folder with the files, `_headers` and `_redirects`. */
  directory: string
  run_worker_first: boolean | string[] | undefined
  html_handling: string | undefined
  not_found_handling: string | undefined
}

/** What was uploaded at once: code, what it is bound to, and its static files. */
export interface Version {
  id: string
  created_on: string
  /** The main one first. */
  modules: Module[]
  bindings: Binding[]
  compatibility_date: string
  compatibility_flags: string[]
  assets: StaticAssets | null
  /** Such as `workers/tag` and `workers/message`. */
  annotations: Record<string, string>
  /** The last migration of Durable Objects that the Worker had been through. */
  migration_tag: string | null
}

export interface Script {
  name: string
  /** What the API knows it by. */
  tag: string
  tags: string[]
  /** Of its Durable Objects' classes: the last step that it has been through. */
  migration_tag: string | null
  /** Of its Durable Objects. */
  classes: string[]
  /** In order; the last need not be the one that serves. */
  versions: Version[]
  deployments: { id: string; created_on: string; version: Version }[]
  routes: string[]
  crons: string[]
  subdomain: { enabled: boolean; previews_enabled: boolean }
  observability: unknown
}

/** What the zone has set; see zone.ts. */
export interface ZoneState {
  /** By the id of the setting. */
  settings: Record<string, string>
  bots: Record<string, unknown>
  normalization: { scope: string; type: string }
  /** The rules by the phase; a phase that has never had one is missing. */
  rules: Record<string, ZoneRule[]>
}

export interface ZoneRule {
  id: string
  action: string
  action_parameters: Record<string, unknown>
  description?: string
  enabled: boolean
  expression: string
}

/** What the account holds, beside the databases' rows and the buckets' objects. */
export interface Account {
  databases: Map<string, Database>
  namespaces: Map<string, Namespace>
  /** By name. */
  buckets: Map<string, Bucket>
  scripts: Map<string, Script>
  /** Static files by their hash, whichever Worker they came with. */
  files: Map<string, Uint8Array>
  zone: ZoneState
  /** While true, lists of deployments do not have the last one yet. */
  lags: boolean
}

export function emptyAccount(): Account {
  return {
    databases: new Map(),
    namespaces: new Map(),
    buckets: new Map(),
    scripts: new Map(),
    files: new Map(),
    zone: harmlessZone(),
    lags: false,
  }
}

/** The version that serves; null before the first deployment. */
export function servingVersion(script: Script): Version | null {
  return script.deployments.at(-1)?.version ?? null
}

/** With nothing set that breaks an API. */
export function harmlessZone(): ZoneState {
  return {
    settings: {
      browser_check: 'off',
      security_level: 'medium',
      email_obfuscation: 'off',
      rocket_loader: 'off',
      always_use_https: 'off',
    },
    bots: { enable_js: false, fight_mode: false, using_latest_model: true },
    normalization: { scope: 'incoming', type: 'rfc3986' },
    rules: {},
  }
}
