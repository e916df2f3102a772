import type { AddressableResource, Resource } from '../../mapping/identifier.ts'
import { type Filters, pathWith } from '../form/chosen.ts'

export function listPath(resource: Resource, filters: Filters = {}): string {
  return pathWith(`/dashboard/${resource}/`, filters)
}

/** The page of one record, by our id. */
export function recordPath(resource: AddressableResource, id: string): string {
  return `/dashboard/${resource}/${encodeURIComponent(id)}/`
}
