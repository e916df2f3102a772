import { auditLogPath } from '../audit-log/filters.ts'
import { count } from '../numbers.ts'
import { Records } from '../records.tsx'
import { Time } from '../time.tsx'
import { KeyName } from './key-name.tsx'
import { PinnedRelease } from './release.tsx'

export interface KeyRecord {
  id: string
  name: string
  hint: string
  scopes: string[]
  expires_at: string | null
  last_used_at: string | null
  created_at: string
  revoked_at: string | null
  status: string
  partner_id: string | null
  release: string
  rate_limit: number | null
}

interface KeyTableProps {
  keys: KeyRecord[]
  /** Names by id. */
  partners: Map<string, string>
  mayWrite: boolean
}

export function KeyTable({ keys, partners, mayWrite }: KeyTableProps) {
  return (
    <Records
      columns={['Name', 'Access', 'Status', 'Last used', 'Expires']}
      actions="What can be done"
    >
      {keys.map((key) => (
        <KeyRow
          record={key}
          partner={key.partner_id && (partners.get(key.partner_id) ?? key.partner_id)}
          mayWrite={mayWrite}
        />
      ))}
    </Records>
  )
}

interface KeyRowProps {
  record: KeyRecord
  partner: string | null
  mayWrite: boolean
}

function KeyRow({ record: key, partner, mayWrite }: KeyRowProps) {
  const at = `/dashboard/api-keys/${key.id}/`
  return (
    <tr>
      <KeyName name={key.name} hint={key.hint} />
      <td data-label="Access">
        {key.scopes.map((scope) => (
          <code>{scope}</code>
        ))}
        {partner !== null && <small>as {partner}</small>}
        <PinnedRelease name={key.release} />
        {key.rate_limit !== null && <small class="line">{count(key.rate_limit)} a minute</small>}
      </td>
      <td data-label="Status">
        <span class={`status ${key.status}`}>{key.status}</span>
        <small class="line">
          since <Time at={sinceOf(key)} />
        </small>
      </td>
      <td data-label="Last used">
        <Time at={key.last_used_at} none="not in the log" />
      </td>
      <td data-label="Expires">
        <Time at={key.expires_at} none="never" />
      </td>
      <td class="row-actions">
        <a href={auditLogPath({ api_key_id: key.id })}>Requests</a>
        {mayWrite && key.status !== 'revoked' && <a href={at}>Edit</a>}
        {mayWrite && key.status === 'active' && <a href={`${at}rotate/`}>Rotate</a>}
        {mayWrite && key.status !== 'revoked' && <a href={`${at}revoke/`}>Revoke</a>}
      </td>
    </tr>
  )
}

/** When the key came to be what it is. */
function sinceOf({ status, created_at, expires_at, revoked_at }: KeyRecord): string {
  if (status === 'revoked') return revoked_at ?? created_at
  return status === 'expired' ? (expires_at ?? created_at) : created_at
}
