import { eq, sql } from 'drizzle-orm'
import { qb } from '../../engine/db/prepared.ts'
import { fieldMappings } from '../../engine/db/tables.ts'
import { fieldErrors, messageOf } from '../../engine/json/messages.ts'
import type { Resource } from '../../engine/mapping/identifier.ts'
import type { Mapping } from '../../engine/mapping/schema.ts'
import { SaveMapping } from '../../settings/mappings/schema.ts'
import type { Finding } from './finding.ts'

export interface CheckedMapping extends Mapping {
  resource: Resource
  updated_at: string
}

export function selectMappings(of: string) {
  const { partner_id, resource, identifier_field, inbound, outbound, updated_at } = fieldMappings
  return qb
    .select({
      resource: sql<Resource>`${resource}`.as('resource'),
      identifier_field,
      inbound,
      outbound,
      updated_at,
    })
    .from(fieldMappings)
    .where(eq(partner_id, of))
    .orderBy(resource)
}

/** What a mapping has that was allowed when it was saved: it works on, and saving it again is refused. */
export function refusedMappings(mappings: CheckedMapping[]): Finding[] {
  return mappings.flatMap(({ resource, updated_at, ...mapping }) => {
    const { error } = SaveMapping(resource).safeParse(mapping, { error: messageOf })
    const faults = Object.entries(fieldErrors(error?.issues ?? []))
    return [...Map.groupBy(faults, ([place]) => directionOf(place))].map(([direction, found]) => ({
      kind: 'mapping_refused' as const,
      since: updated_at,
      count: found.length,
      requests: [],
      message: `The ${direction}mapping of ${resource} would be refused if it were saved now${placesText(found.length)}. ${faultText(found[0])}`,
      remedy:
        'It works as it was saved until somebody saves it. Correct it, and look at the records that it has made.',
    }))
  })
}

function directionOf(place: string): string {
  const [direction] = place.split('.')
  return direction === 'inbound' || direction === 'outbound' ? `${direction} ` : ''
}

function placesText(count: number): string {
  return count === 1 ? '' : `, at ${count} places`
}

function faultText(fault: [place: string, messages: string[]] | undefined): string {
  return fault ? `"${fault[0]}": ${fault[1][0]}` : ''
}
