import { RESOURCES } from '../../engine/mapping/identifier.ts'
import { Records } from '../parts/records.tsx'
import { MappingRow, type SavedMapping } from './mapping-row.tsx'

interface MappingTableProps {
  partnerId: string
  mappings: SavedMapping[]
  mayWrite: boolean
}

/** One row for each resource, mapped or not. */
export function MappingTable({ partnerId, mappings, mayWrite }: MappingTableProps) {
  return (
    <Records columns={['Resource', 'Inbound', 'Outbound', 'Identifier', 'Changed']} hasActions>
      {RESOURCES.map((resource) => (
        <MappingRow
          at={`/dashboard/partners/${partnerId}/mappings/${resource}/`}
          resource={resource}
          mapping={mappings.find((mapping) => mapping.resource === resource)}
          mayWrite={mayWrite}
        />
      ))}
    </Records>
  )
}
