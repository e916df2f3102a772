import { RESOURCES, type Resource } from '../../engine/mapping/identifier.ts'
import type { Mapping } from '../../engine/mapping/schema.ts'
import { askedOf } from '../form/version.tsx'
import { Records } from '../parts/records.tsx'
import { RowLink } from '../parts/row-link.tsx'
import { Time } from '../parts/time.tsx'

type SavedMapping = Mapping & { resource: string; updated_at: string; version: number }

interface MappingRowProps {
  at: string
  resource: Resource
  mapping: SavedMapping | undefined
  mayWrite: boolean
}

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

function MappingRow({ at, resource, mapping, mayWrite }: MappingRowProps) {
  const open = mayWrite ? 'Edit' : 'View'
  return (
    <tr>
      <th scope="row">
        <RowLink href={at} text={resource} of="mapping" />
      </th>
      <td data-label="Inbound">{mapping?.inbound ? rulesOf(mapping.inbound) : 'not mapped'}</td>
      <td data-label="Outbound">{mapping?.outbound ? rulesOf(mapping.outbound) : 'not mapped'}</td>
      <td data-label="Identifier">
        {mapping?.identifier_field ? <code>{mapping.identifier_field}</code> : '—'}
      </td>
      <td data-label="Changed">
        <Time at={mapping?.updated_at ?? null} />
      </td>
      <td class="row-actions">
        {mapping || !mayWrite ? (
          mapping && <RowLink href={at} text={open} of={`mapping of ${resource}`} />
        ) : (
          <RowLink href={at} text="Create mapping" of={`of ${resource}`} />
        )}
        {mapping && mayWrite && (
          <RowLink
            href={askedOf(`${at}delete/`, mapping.version)}
            text="Delete"
            of={`mapping of ${resource}`}
          />
        )}
      </td>
    </tr>
  )
}

function rulesOf({ fields }: { fields: object }): string {
  const count = Object.keys(fields).length
  return `${count} ${count === 1 ? 'rule' : 'rules'}`
}
