import type { ApiError } from '../../engine/errors.ts'
import type { ShownWebhook } from '../../settings/api-keys/webhooks/kind.ts'
import type { WebhookPreset } from '../../settings/webhook-presets/preset-schema.ts'
import type { arrivalsAt } from './arrived.tsx'
import type { Carried } from './carried.tsx'
import type { TestResult } from './tried.tsx'

/** What the page of a connection shows. */
export interface ConnectionProps {
  preset: WebhookPreset
  webhook: ShownWebhook
  /** Of the partner, for the documents: made for this, or kept from before. */
  mapping: 'made' | 'kept' | 'there' | 'none'
  carried: Carried
  arrivals: Awaited<ReturnType<typeof arrivalsAt>>
  result: TestResult | null
  error: ApiError | null
}
