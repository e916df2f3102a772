import { RESOURCES, type Resource } from '../../engine/mapping/identifier.ts'
import type { Mapping } from '../../engine/mapping/schema.ts'
import { askedOf } from '../form/version.tsx'
import { DataTable } from '../parts/data-table.tsx'
import { RowLink } from '../parts/row-link.tsx'
import { Time } from '../parts/time.tsx'
import { mappingPath } from '../paths.ts'

type SavedMapping = Mapping & { resource: string; updated_at: string; version: number }

interface MappingTableProps {
  partnerId: string
  mappings: SavedMapping[]
  mayWrite: boolean
}

/** One row for each resource, mapped or not. */
export function MappingTable({ partnerId, mappings, mayWrite }: MappingTableProps) {
  const rows = RESOURCES.map((resource) => ({
    at: mappingPath({ partnerId, resource }),
    resource,
    mapping: mappings.find((mapping) => mapping.resource === resource),
  }))
  return (
    <DataTable
      rows={rows}
      columns={[
        ['Resource', ({ at, resource }) => <RowLink href={at} text={resource} of="mapping" />],
        ['Inbound', ({ mapping }) => rulesText(mapping?.inbound)],
        ['Outbound', ({ mapping }) => rulesText(mapping?.outbound)],
        ['Identifier', ({ mapping }) => identifierOf(mapping)],
        ['Changed', ({ mapping }) => <Time at={mapping?.updated_at ?? null} />],
      ]}
      actions={(row) => <MappingActions {...row} mayWrite={mayWrite} />}
    />
  )
}

interface MappingActionsProps {
  at: string
  resource: Resource
  mapping: SavedMapping | undefined
  mayWrite: boolean
}

function MappingActions({ at, resource, mapping, mayWrite }: MappingActionsProps) {
  const of = `mapping of ${resource}`
  if (!mapping) return mayWrite && <RowLink href={at} text="Create mapping" of={`of ${resource}`} />
  return (
    <>
      <RowLink href={at} text={mayWrite ? 'Edit' : 'View'} of={of} />
      {mayWrite && (
        <RowLink href={askedOf(`${at}delete/`, mapping.version)} text="Delete" of={of} />
      )}
    </>
  )
}

function identifierOf(mapping: SavedMapping | undefined) {
  return mapping?.identifier_field ? <code>{mapping.identifier_field}</code> : '—'
}

function rulesText(rules: { fields: object } | null | undefined): string {
  if (!rules) return 'not mapped'
  const count = Object.keys(rules.fields).length
  return `${count} ${count === 1 ? 'rule' : 'rules'}`
}
