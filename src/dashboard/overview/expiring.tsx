import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import type { ShownWebhook } from '../../settings/api-keys/webhooks/kind.ts'
import { may, mayGrantKey } from '../access.ts'
import { KeyName } from '../api-keys/key-name.tsx'
import type { KeyRecord } from '../api-keys/record.ts'
import { Records } from '../parts/records.tsx'
import { RowLink } from '../parts/row-link.tsx'
import { Time } from '../parts/time.tsx'
import { auditLogPath, webhookPath } from '../paths.ts'
import { ENDING_ANCHOR } from './need-line.ts'

type ExpiringKey = Pick<
  KeyRecord,
  'id' | 'name' | 'hint' | 'scopes' | 'partner_id' | 'expires_at' | 'last_used_at'
>

interface ExpiringKeysProps {
  c: Context<AppEnv>
  keys: ExpiringKey[]
}

/** Keys that expire soon, with links to edit or rotate them. Nothing if there are none. */
export function ExpiringKeys({ c, keys }: ExpiringKeysProps) {
  if (keys.length === 0) return null
  return (
    <section id={`${ENDING_ANCHOR}-key`}>
      <h2>Keys that expire soon</h2>
      <Records columns={['Name', 'Expires', 'Last used']} hasActions>
        {keys.map((key) => (
          <ExpiringRow c={c} record={key} />
        ))}
      </Records>
    </section>
  )
}

interface ExpiringWebhooksProps {
  c: Context<AppEnv>
  webhooks: Pick<ShownWebhook, 'id' | 'name' | 'expires_at' | 'last_used_at'>[]
}

/** Webhooks that expire soon, with links to their pages. Nothing if there are none: most have no end. */
export function ExpiringWebhooks({ c, webhooks }: ExpiringWebhooksProps) {
  if (webhooks.length === 0) return null
  return (
    <section id={`${ENDING_ANCHOR}-webhook`}>
      <h2>Webhooks that expire soon</h2>
      <p>
        From then on their senders are refused (401), and nothing that waits is applied by itself.
      </p>
      <Records columns={['Name', 'Expires', 'Last delivery']} hasActions>
        {webhooks.map(({ id, name, expires_at, last_used_at }) => (
          <tr>
            <th scope="row">
              <a href={webhookPath(id)}>{name}</a>
            </th>
            <td data-label="Expires">
              <Time at={expires_at} />
            </td>
            <td data-label="Last delivery">
              <Time at={last_used_at} none="not in the log" />
            </td>
            <td class="row-actions">
              <RowLink href={auditLogPath({ api_key_id: id })} text="Deliveries" of={name} />
              {may(c, 'settings.keys.write') && (
                <RowLink href={webhookPath(id)} text="Extend" of={name} />
              )}
            </td>
          </tr>
        ))}
      </Records>
    </section>
  )
}

function ExpiringRow({ c, record: key }: { c: Context<AppEnv>; record: ExpiringKey }) {
  const at = `/dashboard/api-keys/${key.id}/`
  const mayWrite = may(c, 'settings.keys.write')
  return (
    <tr>
      <KeyName name={key.name} hint={key.hint} href={mayWrite ? at : undefined} />
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
