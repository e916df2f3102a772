import { may, mayGrantKey } from '../access.ts'
import { auditLogPath } from '../audit-log/filters.ts'
import type { KeyRowProps } from './record.ts'

export function KeyActions({ c, record }: Pick<KeyRowProps, 'c' | 'record'>) {
  const { id, status } = record
  const at = `/dashboard/api-keys/${id}/`
  const mayChange = may(c, 'settings.keys.write') && status !== 'revoked'
  const mayRotate = mayChange && status === 'active' && mayGrantKey(c, record)
  return (
    <td class="row-actions">
      {may(c, 'settings.audit.read') && <a href={auditLogPath({ api_key_id: id })}>Requests</a>}
      {mayChange && <a href={at}>Edit</a>}
      {mayRotate && <a href={`${at}rotate/`}>Rotate</a>}
      {mayChange && <a href={`${at}revoke/`}>Revoke</a>}
    </td>
  )
}
