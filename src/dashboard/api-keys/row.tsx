import { count } from '../parts/numbers.ts'
import { Time } from '../parts/time.tsx'
import { KeyName } from './key-name.tsx'
import type { KeyRecord, KeyRowProps } from './record.ts'
import { PinnedRelease } from './release.tsx'
import { KeyActions } from './row-actions.tsx'

export function KeyRow({ c, record: key, partner, exposed_at }: KeyRowProps) {
  return (
    <tr>
      <KeyName name={key.name} hint={key.hint} />
      <td data-label="Access">
        {key.scopes.map((scope) => (
          <code>{scope}</code>
        ))}
        {partner !== null && <small class="line">partner {partner}</small>}
        {key.own_orders_only && <small class="line">only orders of its partner</small>}
        {key.reads === 'near' && <small class="line">reads the nearest copy</small>}
        <PinnedRelease name={key.release} />
        {key.rate_limit !== null && <small class="line">{count(key.rate_limit)} per minute</small>}
      </td>
      <td data-label="Status">
        <span class={`status ${key.status}`}>{key.status}</span>
        <small class="line">
          since <Time at={sinceOf(key)} />
        </small>
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

/** When the key got its current status. */
function sinceOf({ status, created_at, expires_at, revoked_at }: KeyRecord): string {
  if (status === 'revoked') return revoked_at ?? created_at
  return status === 'expired' ? (expires_at ?? created_at) : created_at
}
