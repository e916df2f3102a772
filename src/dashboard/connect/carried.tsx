import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import { secretsInForce } from '../../engine/webhooks/secret.ts'
import type { KeyRow } from '../../settings/api-keys/row.ts'
import { tokenOfWebhook } from '../../settings/api-keys/webhooks/address.ts'
import { webhookAddress } from '../../settings/api-keys/webhooks/changes.ts'
import { opened } from '../../settings/api-keys/webhooks/usable.ts'
import type { Form } from '../form/form.ts'

/**
 * What was shown when the webhook was made, and stands in no other place. Each form of the page sends it along, so that the
 * page after it shows it again.
 */
export interface Carried {
  address: string
  secret: string
}

export const CARRIED = ['address', 'shown_secret']

export const NOTHING_CARRIED: Carried = { address: '', secret: '' }

export function CarriedFields({ carried }: { carried: Carried }) {
  return (
    <>
      <input type="hidden" name="address" value={carried.address} />
      <input type="hidden" name="shown_secret" value={carried.secret} />
    </>
  )
}

/** What the form has sent along, as far as it is of this webhook: nothing else is shown. */
export async function carriedBy(c: Context<AppEnv>, row: KeyRow, form: Form): Promise<Carried> {
  const token = await tokenOfWebhook(c.get('db'), row.id, form.text('address'))
  const [newest] = secretsInForce(row.webhook_secrets ?? [])
  const secret = form.raw('shown_secret')
  const isCurrent = secret !== '' && newest !== undefined && (await opened(c, newest)) === secret
  return {
    address: token === null ? '' : webhookAddress(c, token),
    secret: isCurrent ? secret : '',
  }
}
