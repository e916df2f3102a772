import type { ErrorCode, ErrorReason } from '../errors.ts'

/** The differences between a release of the integrations API and the current one, as data. */
export interface Release {
  name: string
  /** The differences in Markdown, for the API reference. Empty for the current release. */
  notes: string
  /** Null for the current release. */
  lifecycle: Lifecycle | null
  /** By method and route below the API's base: `PUT locations/:identifier/`. */
  endpoints: Record<string, EndpointChange>
  /** The HTTP status, by the error's reason or, without one, by its code. */
  statuses: Partial<Record<ErrorCode | ErrorReason, 400 | 500>>
  /** Whether the platform's own field addresses a record if settings name none. */
  hasPlatformIdentifiers: boolean
  /** Whether a PUT whose body names another record is refused. Otherwise these fields have no effect. */
  refusesOtherNames: boolean
  /** Whether records have ETags, which requests may name in conditions. */
  hasConditions: boolean
  /** Whether a write can be a dry run. Without it, one that asks for it is refused. */
  hasDryRuns: boolean
  /** Whether a list of stock shows only active products at active locations. */
  listsActiveStock: boolean
  /** Whether `Accept` chooses the format of a list. Otherwise a list is JSON. */
  hasExports: boolean
  /** Whether a list takes parameters that it does not know. `warnings` names them. */
  takesUnknownParameters: boolean
  /** The current spelling of each scope prefix that this release spells differently. */
  scopeNames: Record<string, string>
}

/** ISO 8601 instants; twelve months lie between them (docs/versioning.md). */
export interface Lifecycle {
  deprecated_at: string
  sunset_at: string
}

export interface EndpointChange {
  /** Fields of the body that the release does not have: a response lists them in `warnings`. */
  ignores?: readonly string[]
  /** The query parameters that the release has. A response lists others, which came later, in `warnings`. */
  takes?: readonly string[]
  /** Values of query parameters, as if the caller had sent them. */
  assumes?: Record<string, string>
  /** The fields of a record that it shows; without this, all. */
  shows?: readonly string[]
  /** The release does not have the endpoint. */
  isMissing?: true
  /** A list without `pagination`. */
  isUnpaged?: true
}

/** Where the OpenAPI document of an earlier release is served. */
export function documentPath({ name }: Release): string {
  return `/api/integrations/v1/openapi-${name}.json`
}

export const CURRENT: Release = {
  name: 'current',
  notes: '',
  lifecycle: null,
  endpoints: {},
  statuses: {},
  hasPlatformIdentifiers: true,
  refusesOtherNames: true,
  hasConditions: true,
  hasDryRuns: true,
  listsActiveStock: false,
  hasExports: true,
  takesUnknownParameters: false,
  scopeNames: {},
}
