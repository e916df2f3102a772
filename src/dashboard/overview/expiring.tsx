import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import type { ShownWebhook } from '../../settings/api-keys/webhooks/kind.ts'
import { may, mayGrantKey } from '../access.ts'
import { KeyName } from '../api-keys/key-name.tsx'
import type { KeyRecord } from '../api-keys/record.ts'
import { Records } from '../parts/records.tsx'
import { RowLink } from '../parts/row-link.tsx'
import { Time } from '../parts/time.tsx'
import { API_KEYS_PATH, auditLogPath, webhookPath } from '../paths.ts'
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
  const mayWrite = may(c, 'settings.keys.write')
  return (
    <section id={`${ENDING_ANCHOR}-key`}>
      <h2>Keys that expire soon</h2>
      <Records columns={['Name', 'Expires', 'Last used']} hasActions>
        {keys.map((key) => {
          const at = `${API_KEYS_PATH}${key.id}/`
          return (
            <tr>
              <KeyName name={key.name} hint={key.hint} href={mayWrite ? at : undefined} />
              <TimeCells of={key} last="Last used" />
              <td class="row-actions">
                <RowLink
                  href={auditLogPath({ api_key_id: key.id })}
                  text="Requests"
                  of={key.name}
                />
                {mayWrite && <RowLink href={at} text="Edit" of={key.name} />}
                {mayWrite && mayGrantKey(c, key) && (
                  <RowLink href={`${at}rotate/`} text="Rotate" of={key.name} />
                )}
              </td>
            </tr>
          )
        })}
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
        {webhooks.map((webhook) => (
          <tr>
            <th scope="row">
              <a href={webhookPath(webhook.id)}>{webhook.name}</a>
            </th>
            <TimeCells of={webhook} last="Last delivery" />
            <td class="row-actions">
              <RowLink
                href={auditLogPath({ api_key_id: webhook.id })}
                text="Deliveries"
                of={webhook.name}
              />
              {may(c, 'settings.keys.write') && (
                <RowLink href={webhookPath(webhook.id)} text="Extend" of={webhook.name} />
              )}
            </td>
          </tr>
        ))}
      </Records>
    </section>
  )
}

interface TimeCellsProps {
  of: Pick<ExpiringKey, 'expires_at' | 'last_used_at'>
  /** The column of its last use. */
  last: string
}

function TimeCells({ of: { expires_at, last_used_at }, last }: TimeCellsProps) {
  return (
    <>
      <td data-label="Expires">
        <Time at={expires_at} />
      </td>
      <td data-label={last}>
        <Time at={last_used_at} none="not in the log" />
      </td>
    </>
  )
}
