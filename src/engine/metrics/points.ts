import type { Meter } from '../db/connect.ts'
import { errorName } from '../errors.ts'

// Cloudflare takes 250 points from one invocation.
const TENANTS_MAX = 200

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
const AREAS = {
  '/api/integrations/': 'integrations',
  '/webhooks/': 'webhooks',
  '/api/settings/': 'settings',
  '/dashboard/': 'dashboard',
  '/healthz/': 'healthz',
}
const NOBODY = '-'

/** What the point of a request is made of. Of the path only the area is stored. */
export interface AnsweredRequest {
  /** Of the code. */
  version: string
  /** Null if its key is not known. */
  tenant: string | null
  path: string
  method: string
  status: number
  error_code: string | null
  reason: string | null
  /** What became of a delivery; null for any other request. */
  outcome: string | null
  /** Where the caller came from; null if its key is not known. */
  origin: string | null
  duration_ms: number
  /** How long it waited for its turns. */
  waited_ms: number
  meter: Meter
}

/** One run of the cron with one of its jobs. */
export interface RetentionRun {
  of: 'audit' | 'archive' | 'documents' | 'secrets' | 'check_ups'
  duration_ms: number
  deleted: number
  unfinished: number
  not_reached: number
  failed: number
}

/** How a tenant stands after a run. */
export interface TenantRetention {
  tenant: string
  state: 'done' | 'unfinished' | 'not_reached' | 'failed'
  /** For how long its oldest row should have been deleted; null if that is not known. */
  overdue_ms: number | null
}

/** What of a tenant's deliveries waits. */
export interface TenantWaiting {
  tenant: string
  records: number
  /** For how long the oldest has waited. */
  oldest_ms: number
  /** How much of what may wait does, from 0 to 1: in the tenant or of one webhook, in records or in bytes. */
  share: number
}

type Dataset = AnalyticsEngineDataset | undefined

// The columns of points: docs/operations.md explains them, and a test compares both.
const BLOBS = [
  'kind',
  'tenant',
  'version',
  'area',
  'method',
  'error_code',
  'caller',
  'retention',
  'state',
  'reason',
  'outcome',
] as const
const DOUBLES = [
  'status',
  'duration_ms',
  'waited_ms',
  'd1_ms',
  'd1_round_trips',
  'd1_statements',
  'd1_rows_read',
  'd1_rows_written',
  'deleted',
  'unfinished',
  'not_reached',
  'failed',
  'overdue_ms',
  'waiting_records',
  'waiting_ms',
  'waiting_share',
] as const

export const COLUMNS = { blob: BLOBS, double: DOUBLES }

type Point = Partial<Record<(typeof BLOBS)[number], string>> &
  Partial<Record<(typeof DOUBLES)[number], number>>

/** Writes the point of a request that is about to be answered. */
export function writeRequest(dataset: Dataset, request: AnsweredRequest): void {
  const { version, tenant, path, method, status, error_code, origin, meter } = request
  const area = Object.entries(AREAS).find(([prefix]) => path.startsWith(prefix))
  write(dataset, {
    kind: 'request',
    version,
    tenant: tenant ?? NOBODY,
    area: area?.[1] ?? 'other',
    method: METHODS.includes(method) ? method : 'other',
    error_code: error_code ?? '',
    reason: request.reason ?? '',
    outcome: request.outcome ?? '',
    caller: origin ?? '',
    status,
    duration_ms: request.duration_ms,
    waited_ms: request.waited_ms,
    d1_ms: meter.duration_ms,
    d1_round_trips: meter.round_trips,
    d1_statements: meter.statements,
    d1_rows_read: meter.rows_read,
    d1_rows_written: meter.rows_written,
  })
}

/** Writes the point of a run, and one for each tenant, up to 200: those with rows left first. */
export function writeRetention(
  dataset: Dataset,
  run: RetentionRun,
  tenants: TenantRetention[] = [],
): void {
  const { of: retention, ...numbers } = run
  write(dataset, { kind: 'retention', tenant: NOBODY, retention, ...numbers })
  const isDone = ({ state }: TenantRetention) => state === 'done'
  const inOrder = [...tenants.filter((each) => !isDone(each)), ...tenants.filter(isDone)]
  for (const { tenant, state, overdue_ms } of inOrder.slice(0, TENANTS_MAX)) {
    const known = overdue_ms !== null && { overdue_ms }
    write(dataset, { kind: 'tenant_retention', tenant, retention, state, ...known })
  }
}

/** Writes the point of a tenant with waiting deliveries, or of one with none any more. */
export function writeDeliveries(dataset: Dataset, waiting: TenantWaiting): void {
  const { tenant, records, oldest_ms, share } = waiting
  const numbers = { waiting_records: records, waiting_ms: oldest_ms, waiting_share: share }
  write(dataset, { kind: 'deliveries', tenant, ...numbers })
}

/** Never throws, and never waits. An environment without the binding has no metrics. */
function write(dataset: Dataset, point: Point): void {
  try {
    dataset?.writeDataPoint({
      indexes: [point.tenant ?? NOBODY],
      blobs: BLOBS.map((name) => point[name] ?? ''),
      doubles: DOUBLES.map((name) => point[name] ?? 0),
    })
  } catch (error) {
    const name = errorName(error)
    console.error(JSON.stringify({ event: 'metrics_not_written', kind: point.kind, name }))
  }
}
