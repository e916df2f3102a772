import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import { check } from '../../middleware/validate.ts'
import { waitingOf } from '../../requests/deliveries/webhooks.ts'
import { updateWebhook } from '../../settings/api-keys/webhooks/changes.ts'
import { type ShownWebhook, webhooksOf } from '../../settings/api-keys/webhooks/kind.ts'
import { Webhook } from '../../settings/api-keys/webhooks/schema.ts'
import type { KeyPages } from '../api-keys/key-pages.ts'
import { count } from '../parts/numbers.ts'
import { deliveriesPath, webhookPath } from '../paths.ts'
import { showAddress } from './created.tsx'
import { showWebhookForm } from './edit.tsx'
import { formerWebhook, sentWebhook, WEBHOOK_FORM } from './fields.ts'
import { WEBHOOK_NAME_HELP } from './form.tsx'
import { inputOfWebhook } from './input.ts'
import { grantedOf } from './page.tsx'

export const WEBHOOK_PAGES: KeyPages<ShownWebhook> = {
  kindOf: webhooksOf,
  one: 'webhook',
  noun: 'webhook',
  value: 'address',
  rotated:
    'You get a new address. The rules, the secrets, all settings and the deliveries that wait go on with it, as a webhook with a page of its own.',
  overlap: 'Both addresses work until then, so you can enter the new one at the sender.',
  ends: ' with 404',
  keeps: true,
  nameHelp: WEBHOOK_NAME_HELP,
  editAt: '/:id/edit/',
  shape: WEBHOOK_FORM,
  fieldOfWhole: 'kind',
  showForm: (c, { id }, sent, error) => showWebhookForm(c, id, sent && sentWebhook(sent), error),
  inputOf: inputOfWebhook,
  update: (c, id, input, versions) => updateWebhook(c, id, check(Webhook.Update, input), versions),
  pageOf: webhookPath,
  grantedOf,
  formerOf: formerWebhook,
  showCreated: (c, created, more) => showAddress(c, created, { more }),
  more: whatWaits,
  done: { saved: 'webhook-saved', revoked: 'webhook-revoked' },
}

/** A webhook with deliveries that wait cannot be revoked. */
async function whatWaits(c: Context<AppEnv>, { id }: ShownWebhook) {
  const waiting = (await waitingOf(c.get('db'), [id])).get(id)
  return waiting === undefined ? null : (
    <p>
      {waiting === 1 ? 'One delivery waits' : `${count(waiting)} deliveries wait`}:{' '}
      <a href={deliveriesPath({ webhook_id: id })}>apply or dismiss what waits</a>, or{' '}
      <a href={`${webhookPath(id)}rotate/`}>rotate the address</a>: what waits goes on with the new
      one.
    </p>
  )
}
