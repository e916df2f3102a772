import type { Context } from 'hono'
import type { Meter } from '../db/connect.ts'
import type { AppEnv } from '../env.ts'
import type { SentWith } from '../json/sent-with.ts'

/** A waiting delivery that the Worker tries again, as the webhook to which it came. */
export interface Retried {
  tenant: string
  webhook_id: string
  /** Of a row of an upload, the id of its delivery, a dot and the row's number. */
  delivery_id: string
  /** The row's number; null for a whole delivery. */
  position: number | null
  sender_event: string | null
  sender_id: string | null
  /** What came beside its body, as far as a mapping may read it. */
  sent_with: SentWith | null
  /** When it came first. */
  created_at: string
  /** How often it was tried since. */
  tries: number
  /** Somebody asks what would become of it. */
  dry_run: boolean
  /** Counts what the try costs. */
  meter: Meter
  /** How many statements of D1 the invocation had taken before. */
  statements_before: number
}

/** The id of the request that brought what waits. */
export function broughtBy({ delivery_id }: Pick<Retried, 'delivery_id'>): string {
  return delivery_id.split('.')[0] ?? delivery_id
}

// By Request object, which no sender can make: a header could be forged.
const requests = new WeakMap<Request, Retried>()

export function retriedIn(c: Context<AppEnv>): Retried | undefined {
  return requests.get(c.req.raw)
}

/** The request that tries the delivery again. Only this very object does. */
export function retryOf(retried: Retried, body: string, content_type: string | null): Request {
  const request = new Request(`https://deliveries.internal/webhooks/v1/${retried.delivery_id}/`, {
    method: 'POST',
    body,
    headers: { 'Content-Type': content_type ?? 'application/json' },
  })
  requests.set(request, retried)
  return request
}

interface TryError {
  code: string
  message?: string
  reason?: string
}

/** The answer to such a request. */
export interface TryAnswer {
  data?: { outcome: string; record?: string | null; reason?: string; error?: TryError }
  error?: TryError | null
}

/** After so many troubled tries an invocation makes no more. */
export const TROUBLES_MAX = 5

/** Whether D1 did not do as it was told, or something happened that nobody has foreseen. */
export function isTroubled({ data, error }: TryAnswer): boolean {
  const { code, reason } = error ?? data?.error ?? {}
  return code === 'INTERNAL_ERROR' || (code === 'UNAVAILABLE' && reason !== 'PAUSED')
}
