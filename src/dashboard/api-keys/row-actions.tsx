import { may, mayGrantKey } from '../access.ts'
import { RowLink } from '../parts/row-link.tsx'
import { auditLogPath } from '../paths.ts'
import type { KeyRowProps } from './record.ts'

export function KeyActions({ c, record }: Pick<KeyRowProps, 'c' | 'record'>) {
  const { id, name, status } = record
  const at = `/dashboard/api-keys/${id}/`
  const mayChange = may(c, 'settings.keys.write') && status !== 'revoked'
  const mayRotate = mayChange && status === 'active' && mayGrantKey(c, record)
  return (
    <td class="row-actions">
      {may(c, 'settings.audit.read') && (
        <RowLink href={auditLogPath({ api_key_id: id })} text="Requests" of={name} />
      )}
      {mayChange && <RowLink href={at} text="Edit" of={name} />}
      {mayRotate && <RowLink href={`${at}rotate/`} text="Rotate" of={name} />}
      {mayChange && <RowLink href={`${at}revoke/`} text="Revoke" of={name} />}
    </td>
  )
}
