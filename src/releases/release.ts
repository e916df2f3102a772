import type { ErrorCode, ErrorReason } from '../errors.ts'

/**
 * What a release of the integrations API does otherwise than the current one, as data: whatever it
 * leaves out is as it is today.
 */
export interface Release {
  name: string
  /** For the reference, in Markdown: what is otherwise. Empty of the current one. */
  notes: string
  /** Null of the current one. */
  lifecycle: Lifecycle | null
  /** By method and route below the API's base: `PUT locations/:identifier/`. */
  endpoints: Record<string, EndpointChange>
  /** By the error's reason, where it has one, or its code. */
  statuses: Partial<Record<ErrorCode | ErrorReason, 400 | 500>>
  /** Whether a record is addressed by the platform's own field where settings name none. */
  hasPlatformIdentifiers: boolean
  /** Whether stock is listed of active products at active locations only. */
  listsActiveStock: boolean
  /** Beginnings of scopes that it spelled otherwise, and what we call them. */
  scopeNames: Record<string, string>
}

/** ISO 8601 instants; twelve months lie between them (docs/versioning.md). */
export interface Lifecycle {
  deprecated_at: string
  sunset_at: string
}

export interface EndpointChange {
  /** Query parameters and fields of the body that it did not have: each is named in `warnings`. */
  ignores?: readonly string[]
  /** Query parameters that are as if they were sent so. */
  assumes?: Record<string, string>
  /** Fields of a record that it shows, where that is not all. */
  shows?: readonly string[]
  /** A list without `pagination`. */
  isUnpaged?: true
}

export const CURRENT: Release = {
  name: 'current',
  notes: '',
  lifecycle: null,
  endpoints: {},
  statuses: {},
  hasPlatformIdentifiers: true,
  listsActiveStock: false,
  scopeNames: {},
}
