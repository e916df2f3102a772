import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import { may } from '../access.ts'
import { Records } from '../parts/records.tsx'
import { RowLink } from '../parts/row-link.tsx'
import { Time } from '../parts/time.tsx'
import { auditLogPath } from '../paths.ts'

export interface PartnerRecord {
  id: string
  name: string
  default_identifier_field: string | null
  updated_at: string
}

interface PartnerTableProps {
  c: Context<AppEnv>
  partners: PartnerRecord[]
}

export function PartnerTable({ c, partners }: PartnerTableProps) {
  return (
    <Records columns={['Name', 'Default identifier', 'Changed']} hasActions>
      {partners.map(({ id, name, default_identifier_field, updated_at }) => (
        <tr>
          <th scope="row">
            <a href={`/dashboard/partners/${id}/`}>{name}</a>
          </th>
          <td data-label="Default identifier">
            {default_identifier_field === null ? (
              'our own'
            ) : (
              <code>{default_identifier_field}</code>
            )}
          </td>
          <td data-label="Changed">
            <Time at={updated_at} />
          </td>
          <td class="row-actions">
            {may(c, 'settings.audit.read') && (
              <RowLink href={auditLogPath({ partner_id: id })} text="Requests" of={name} />
            )}
          </td>
        </tr>
      ))}
    </Records>
  )
}
