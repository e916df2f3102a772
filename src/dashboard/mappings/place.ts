import type { Resource } from '../../mapping/identifier.ts'

export interface Place {
  partnerId: string
  resource: Resource
}

export function mappingPath({ partnerId, resource }: Place): string {
  return `/dashboard/partners/${encodeURIComponent(partnerId)}/mappings/${resource}/`
}
