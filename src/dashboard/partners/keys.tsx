import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import type { Pause } from '../../engine/model/pause.ts'
import { isLinkedTo } from '../../settings/api-keys/bound.ts'
import { API_KEY } from '../../settings/api-keys/kind.ts'
import { listKeys } from '../../settings/api-keys/queries.ts'
import { webhooksOf } from '../../settings/api-keys/webhooks/kind.ts'
import { may } from '../access.ts'
import { KeyTable } from '../api-keys/list.tsx'
import { API_KEYS_PATH, pathWith, WEBHOOKS_PATH } from '../paths.ts'
import { besideWebhooks, WebhookTable } from '../webhooks/table.tsx'

const SHOWN_MAX = 10
const PAGE = { limit: SHOWN_MAX, before: undefined, before_time: undefined, filters: undefined }

/** What the page of a partner shows of its keys and webhooks; null if the session's key may not read them. */
export type KeysOfPartner = Awaited<ReturnType<typeof keysOfPartner>>

/** The newest ones that are not revoked. */
export async function keysOfPartner(c: Context<AppEnv>, id: string) {
  if (!may(c, 'settings.keys.read')) return null
  const db = c.get('db')
  const own = isLinkedTo(id)
  const [keys, webhooks] = await Promise.all([
    listKeys(API_KEY, db, PAGE, own),
    listKeys(webhooksOf(c), db, PAGE, own),
  ])
  return { keys, webhooks, beside: await besideWebhooks(c, webhooks.slice(0, SHOWN_MAX)) }
}

interface PartnerKeysProps {
  c: Context<AppEnv>
  partner: { id: string; name: string; pause: Pause | null }
  found: NonNullable<KeysOfPartner>
}

export function PartnerKeys({ c, partner, found }: PartnerKeysProps) {
  const { keys, webhooks, beside } = found
  const { id } = partner
  return (
    <>
      <h2 id="keys">Webhooks</h2>
      {webhooks.length === 0 ? (
        <p class="nothing">It has no webhook to which it delivers.</p>
      ) : (
        <WebhookTable c={c} webhooks={webhooks.slice(0, SHOWN_MAX)} {...beside} />
      )}
      <p>
        <a href={pathWith(WEBHOOKS_PATH, { partner_id: id })}>All webhooks of this partner</a>
      </p>
      <h2>API keys</h2>
      {keys.length === 0 ? (
        <p class="nothing">No API key is linked to it.</p>
      ) : (
        <KeyTable
          c={c}
          keys={keys.slice(0, SHOWN_MAX)}
          partners={new Map([[id, { ...partner, isDeleted: false }]])}
          exposed={new Map()}
        />
      )}
      {keys.length > SHOWN_MAX && (
        <p>
          It has more than {SHOWN_MAX}: see <a href={API_KEYS_PATH}>all API keys</a>.
        </p>
      )}
    </>
  )
}
