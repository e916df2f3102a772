import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import type { NamedPartner } from '../../settings/partners/queries.ts'
import { may, mayGrantKey } from '../access.ts'
import { count } from '../parts/numbers.ts'
import { type CsvColumns, pauseCell } from '../parts/page-csv.tsx'
import { Records } from '../parts/records.tsx'
import { RowLink } from '../parts/row-link.tsx'
import { Time } from '../parts/time.tsx'
import { API_KEYS_PATH, auditLogPath } from '../paths.ts'
import { KnownPartnerName } from '../records/names.tsx'
import { KeyName } from './key-name.tsx'
import type { KeyRecord } from './record.ts'
import { PinnedRelease } from './release.tsx'
import { KeyState, sinceOf } from './state.tsx'

type ListedKey = KeyRecord & { partner: string | null }

export const KEYS_CSV: CsvColumns<ListedKey> = [
  'id',
  'name',
  'hint',
  ['scopes', ({ scopes }) => scopes.join(' ')],
  'partner',
  'partner_id',
  ['own_orders_only', ({ own_orders_only }) => String(own_orders_only)],
  'reads',
  'release',
  'rate_limit',
  'status',
  ['since', sinceOf],
  ['paused_until', pauseCell],
  'last_used_at',
  'expires_at',
]

interface KeyTableProps {
  c: Context<AppEnv>
  keys: KeyRecord[]
  /** By id. */
  partners: Map<string, NamedPartner>
  /** When keys last came over plain HTTP, by hint. */
  exposed: Map<string, string>
}

export function KeyTable({ c, keys, partners, exposed }: KeyTableProps) {
  return (
    <Records columns={['Name', 'Access', 'Status', 'Last used', 'Expires']} hasActions>
      {keys.map((key) => (
        <KeyRow
          c={c}
          record={key}
          exposed_at={exposed.get(key.hint)}
          partner={partners.get(key.partner_id ?? '')}
        />
      ))}
    </Records>
  )
}

interface KeyRowProps {
  c: Context<AppEnv>
  record: KeyRecord
  /** Undefined if the session's key may not see it, or there is none. */
  partner: NamedPartner | undefined
  /** When its hint last came over plain HTTP. */
  exposed_at: string | undefined
}

const keyPath = (id: string) => `${API_KEYS_PATH}${id}/`

function KeyRow({ c, record: key, partner, exposed_at }: KeyRowProps) {
  const mayOpen = may(c, 'settings.keys.write') && key.status !== 'revoked'
  return (
    <tr>
      <KeyName name={key.name} hint={key.hint} href={mayOpen ? keyPath(key.id) : undefined} />
      <td data-label="Access">
        {key.scopes.map((scope) => (
          <code>{scope}</code>
        ))}
        {key.partner_id !== null && (
          <small class="line">
            partner <KnownPartnerName id={key.partner_id} known={partner} />
          </small>
        )}
        {key.own_orders_only && <small class="line">only orders of its partner</small>}
        {key.reads === 'near' && <small class="line">reads the nearest copy</small>}
        <PinnedRelease name={key.release} />
        {key.rate_limit !== null && <small class="line">{count(key.rate_limit)} per minute</small>}
      </td>
      <td data-label="Status">
        <KeyState record={key} partnerPause={partner?.pause} />
        {exposed_at !== undefined && key.status === 'active' && (
          <small class="line">
            Sent over plain HTTP on <Time at={exposed_at} />: others may know it. Rotate it.
          </small>
        )}
      </td>
      <td data-label="Last used">
        <Time at={key.last_used_at} none="not in the log" />
      </td>
      <td data-label="Expires">
        <Time at={key.expires_at} none="never" />
      </td>
      <KeyActions c={c} record={key} />
    </tr>
  )
}

function KeyActions({ c, record }: Pick<KeyRowProps, 'c' | 'record'>) {
  const { id, name, status } = record
  const at = keyPath(id)
  const mayChange = may(c, 'settings.keys.write') && status !== 'revoked'
  const mayRotate = mayChange && status === 'active' && mayGrantKey(c, record)
  return (
    <td class="row-actions">
      {may(c, 'settings.audit.read') && (
        <RowLink href={auditLogPath({ api_key_id: id })} text="Requests" of={name} />
      )}
      {mayChange && <RowLink href={at} text="Edit" of={name} />}
      {mayChange && status === 'active' && (
        <RowLink href={`${at}pause/`} text={record.pause ? 'Resume' : 'Pause'} of={name} />
      )}
      {mayRotate && <RowLink href={`${at}rotate/`} text="Rotate" of={name} />}
      {mayChange && <RowLink href={`${at}revoke/`} text="Revoke" of={name} />}
    </td>
  )
}
