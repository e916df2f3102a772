import type { Need } from '../engine/db/delivery-tables.ts'
import type { ApiError, ErrorCode, ErrorReason } from '../engine/errors.ts'

/** What a refused delivery waits for. */
export interface Waits {
  needs: Need
  needs_code: string | null
  /** When it is tried whatever it needs. */
  due_at: string | null
}

// The sender has to send something else, or again.
const NOT_KEPT: ErrorCode[] = [
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'REQUEST_TIMEOUT',
  'RATE_LIMITED',
  'SIGNATURE_INVALID',
  'KEY_INVALID',
  'KEY_EXPIRED',
  'INTERNAL_ERROR',
]

// The settings are right, and so may the document be: the record is in another state, or is somebody else's.
const OF_PERSON: ErrorReason[] = [
  'DUPLICATE_ORDER_NUMBER',
  'OTHER_RECORD',
  'SHIPPED_ORDER_STAYS',
  'ORDER_IS_FINAL',
  'AMBIGUOUS_IDENTIFIER',
  'EXISTS_INACTIVE',
]

const PAUSE_MS_MIN = 60_000
const PAUSE_MS_MAX = 6 * 60 * 60_000
const TRIES_MAX = 20

/** Null if the delivery is not to be kept: its sender hears the error. */
export function needOf({ code, details }: ApiError): Waits | null {
  const { reason, missing, until } = details
  if (code === 'WORKSPACE_DISABLED') return waitsFor('switch')
  if (reason === 'PAUSED') return { ...waitsFor('switch'), due_at: until ?? null }
  if (code === 'UNAVAILABLE' || NOT_KEPT.includes(code)) return null
  if (missing) return { needs: missing.kind, needs_code: missing.code, due_at: null }
  if (reason === 'UNKNOWN_SKU') return { ...waitsFor('time'), due_at: inSeconds(0) }
  return waitsFor(reason !== undefined && OF_PERSON.includes(reason) ? 'person' : 'settings')
}

/** What a delivery that was kept before waits for now. After trouble it is tried again, with growing pauses. */
export function needAfter(error: ApiError, tries: number): Waits {
  const need = needOf(error)
  if (need) return need
  if (tries >= TRIES_MAX) return waitsFor('person')
  const pause = Math.min(PAUSE_MS_MIN * 2 ** tries, PAUSE_MS_MAX)
  return { ...waitsFor('time'), due_at: inSeconds(pause / 1000) }
}

function waitsFor(needs: Need): Waits {
  return { needs, needs_code: null, due_at: null }
}

function inSeconds(seconds: number): string {
  return new Date(Date.now() + seconds * 1000).toISOString()
}
