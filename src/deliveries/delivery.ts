import type { DeliveryOutcome } from '../engine/db/tables.ts'
import type { Payload } from '../engine/env.ts'
import type { SentWith } from '../engine/json/sent-with.ts'
import type { Warning } from '../engine/json/warnings.ts'
import type { WebhookRules } from '../engine/webhooks/rules.ts'
import type { Understood } from '../engine/webhooks/understand.ts'

/** What has become of a delivery. */
export interface DeliveryResult {
  outcome: DeliveryOutcome
  record: string | null
  /** Why there was nothing to do. */
  reason?: string
  /** Of a delivery that waits, the error that the same request with a key would get. */
  error?: object
  /** Of an upload, what its endpoint answers. */
  upload?: object
  /** Of an upload, how many of its failed rows wait. Null: not known. */
  waiting?: number | null
  /** Of a document with several records, what has become of each. */
  results?: DeliveredRecord[]
  warnings: Warning[]
}

export function withoutChange(outcome: 'skipped' | 'stale', reason: string): DeliveryResult {
  return { outcome, record: null, reason, warnings: [] }
}

export interface DeliveredRecord extends Pick<DeliveryResult, 'record' | 'reason' | 'error'> {
  index: number
  outcome: DeliveryOutcome
  /** The id of the request that was made for it. */
  delivery_id: string
}

/** An understood delivery, ready to be applied. */
export interface ToApply {
  rules: WebhookRules
  understood: Understood
  /** The record in the body, with what is known of the body. */
  payload: Payload
  /** What came beside the body, of which the mapping may read. */
  sent: SentWith
}
