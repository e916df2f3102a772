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
export function needOf(error: ApiError, tries = 0): Waits | null {
  const { code, details } = error
  const { reason, missing, until } = details
  if (code === 'WORKSPACE_DISABLED') return waitsFor('switch')
  if (reason === 'PAUSED') return { ...waitsFor('switch'), due_at: until ?? null }
  if (code === 'UNAVAILABLE' || NOT_KEPT.includes(code)) return null
  if (missing) {
    return { ...waitsFor(missing.kind, missing.code), due_at: ownCodeDue(error, tries) }
  }
  if (reason === 'UNKNOWN_SKU') return { ...waitsFor('time'), due_at: inSeconds(0) }
  return waitsFor(reason !== undefined && OF_PERSON.includes(reason) ? 'person' : 'settings')
}

/** What a delivery that was kept before waits for now. After trouble it is tried again, with growing pauses. */
export function needAfter(error: ApiError, tries: number): Waits {
  const need = needOf(error, tries)
  if (need) return need
  if (tries >= TRIES_MAX) return waitsFor('person')
  return { ...waitsFor('time'), due_at: afterPause(tries) }
}

/**
 * An item code of which our own code would do may have come as a product in between, and only the code itself tells that
 * it is there (engine/db/waiting.ts).
 */
function ownCodeDue({ details: { missing } }: ApiError, tries: number): string | null {
  return missing?.orOwn && tries < TRIES_MAX ? afterPause(tries) : null
}

function afterPause(tries: number): string {
  return inSeconds(Math.min(PAUSE_MS_MIN * 2 ** tries, PAUSE_MS_MAX) / 1000)
}

function waitsFor(needs: Need, needs_code: string | null = null): Waits {
  return { needs, needs_code, due_at: null }
}

function inSeconds(seconds: number): string {
  return new Date(Date.now() + seconds * 1000).toISOString()
}
