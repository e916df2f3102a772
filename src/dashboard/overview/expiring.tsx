import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import { may, mayGrantKey } from '../access.ts'
import { KeyName } from '../api-keys/key-name.tsx'
import type { KeyRecord } from '../api-keys/record.ts'
import { Records } from '../parts/records.tsx'
import { RowLink } from '../parts/row-link.tsx'
import { Time } from '../parts/time.tsx'
import { auditLogPath } from '../paths.ts'

type ExpiringKey = Pick<
  KeyRecord,
  'id' | 'name' | 'hint' | 'scopes' | 'partner_id' | 'expires_at' | 'last_used_at'
>

interface ExpiringKeysProps {
  c: Context<AppEnv>
  keys: ExpiringKey[]
}

/** Keys that expire soon, with links to edit or rotate them. */
export function ExpiringKeys({ c, keys }: ExpiringKeysProps) {
  return (
    <section>
      <h2>Keys that expire soon</h2>
      {keys.length === 0 ? (
        <p class="nothing">No active key expires within 14 days.</p>
      ) : (
        <Records columns={['Name', 'Expires', 'Last used']} hasActions>
          {keys.map((key) => (
            <ExpiringRow c={c} record={key} />
          ))}
        </Records>
      )}
    </section>
  )
}

function ExpiringRow({ c, record: key }: { c: Context<AppEnv>; record: ExpiringKey }) {
  const at = `/dashboard/api-keys/${key.id}/`
  const mayWrite = may(c, 'settings.keys.write')
  return (
    <tr>
      <KeyName name={key.name} hint={key.hint} />
      <td data-label="Expires">
        <Time at={key.expires_at} />
      </td>
      <td data-label="Last used">
        <Time at={key.last_used_at} none="not in the log" />
      </td>
      <td class="row-actions">
        <RowLink href={auditLogPath({ api_key_id: key.id })} text="Requests" of={key.name} />
        {mayWrite && <RowLink href={at} text="Edit" of={key.name} />}
        {mayWrite && mayGrantKey(c, key) && (
          <RowLink href={`${at}rotate/`} text="Rotate" of={key.name} />
        )}
      </td>
    </tr>
  )
}
