import { RESOURCES, type Resource } from '../../mapping/identifier.ts'
import type { Mapping } from '../../mapping/schema.ts'
import { Records } from '../records.tsx'
import { Time } from '../time.tsx'

type SavedMapping = Mapping & { resource: string; updated_at: string }

interface MappingTableProps {
  partnerId: string
  mappings: SavedMapping[]
  mayWrite: boolean
}

/** One row for each resource, mapped or not. */
export function MappingTable({ partnerId, mappings, mayWrite }: MappingTableProps) {
  return (
    <Records
      columns={['Resource', 'Inbound', 'Outbound', 'Identifier', 'Changed']}
      actions="What can be done"
    >
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

interface MappingRowProps {
  at: string
  resource: Resource
  mapping: SavedMapping | undefined
  mayWrite: boolean
}

function MappingRow({ at, resource, mapping, mayWrite }: MappingRowProps) {
  const open = mayWrite ? 'Edit' : 'View'
  return (
    <tr>
      <th scope="row">
        <a href={at}>{resource}</a>
      </th>
      <td data-label="Inbound">{mapping?.inbound ? rulesOf(mapping.inbound) : 'as it is sent'}</td>
      <td data-label="Outbound">{mapping?.outbound ? rulesOf(mapping.outbound) : 'as it is'}</td>
      <td data-label="Identifier">
        {mapping?.identifier_field ? <code>{mapping.identifier_field}</code> : '—'}
      </td>
      <td data-label="Changed">
        <Time at={mapping?.updated_at ?? null} />
      </td>
      <td class="row-actions">
        {mapping || !mayWrite ? (
          mapping && <a href={at}>{open}</a>
        ) : (
          <a href={at}>Write a mapping</a>
        )}
        {mapping && mayWrite && <a href={`${at}delete/`}>Delete</a>}
      </td>
    </tr>
  )
}

function rulesOf({ fields }: { fields: object }): string {
  const count = Object.keys(fields).length
  return `${count} ${count === 1 ? 'rule' : 'rules'}`
}
