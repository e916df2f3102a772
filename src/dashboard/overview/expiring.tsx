import { KeyName } from '../api-keys/key-name.tsx'
import { auditLogPath } from '../audit-log/filters.ts'
import { Records } from '../records.tsx'
import { Time } from '../time.tsx'

interface ExpiringKey {
  id: string
  name: string
  hint: string
  expires_at: string | null
  last_used_at: string | null
}

interface ExpiringKeysProps {
  keys: ExpiringKey[]
  mayWrite: boolean
}

/** Keys that soon stop working, and what can be done before they do. */
export function ExpiringKeys({ keys, mayWrite }: ExpiringKeysProps) {
  return (
    <section>
      <h2>Keys that expire soon</h2>
      {keys.length === 0 ? (
        <p class="nothing">No active key expires within 14 days.</p>
      ) : (
        <Records columns={['Name', 'Expires', 'Last used']} actions="What can be done">
          {keys.map((key) => (
            <ExpiringRow record={key} mayWrite={mayWrite} />
          ))}
        </Records>
      )}
    </section>
  )
}

function ExpiringRow({ record: key, mayWrite }: { record: ExpiringKey; mayWrite: boolean }) {
  const at = `/dashboard/api-keys/${key.id}/`
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
        <a href={auditLogPath({ api_key_id: key.id })}>Requests</a>
        {mayWrite && <a href={at}>Edit</a>}
        {mayWrite && <a href={`${at}rotate/`}>Rotate</a>}
      </td>
    </tr>
  )
}
