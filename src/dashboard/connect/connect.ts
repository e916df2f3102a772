import type { Context } from 'hono'
import * as z from 'zod'
import type { AppEnv } from '../../engine/env.ts'
import { ApiError, invalid } from '../../engine/errors.ts'
import { NAME_LENGTH_MAX } from '../../engine/json/fields.ts'
import { changedMapping } from '../../engine/mapping/schema.ts'
import { check } from '../../middleware/validate.ts'
import { webhookAddress } from '../../settings/api-keys/webhooks/changes.ts'
import { webhooksOf } from '../../settings/api-keys/webhooks/kind.ts'
import { Webhook } from '../../settings/api-keys/webhooks/schema.ts'
import { refuseBadKeys, sealedSecret } from '../../settings/api-keys/webhooks/secrets.ts'
import { connectSystem } from '../../settings/connection.ts'
import type { Starter } from '../../settings/mapping-starters/starters.ts'
import { SaveMapping } from '../../settings/mappings/schema.ts'
import { findPartner } from '../../settings/partners/queries.ts'
import { Partner } from '../../settings/partners/schema.ts'
import type { WebhookPreset } from '../../settings/webhook-presets/preset-schema.ts'
import type { Form } from '../form/form.ts'
import { prefixOf, rulesOf, withPrefix } from './fields.ts'

interface Chosen {
  preset: WebhookPreset
  starter: Starter | null
}

const SECRET_BYTES = 32

/** Makes what the form asks for, in one write. The result has what is shown once. */
export async function connected(c: Context<AppEnv>, { preset, starter }: Chosen, form: Form) {
  const { db, caller } = c.var
  const chosen = form.optional('partner_id')
  const name = chosen === null ? nameOf(form) : await nameOfPartner(c, chosen)
  const partner_id = chosen ?? crypto.randomUUID()
  const id = crypto.randomUUID()
  const secret = preset.secret?.chosen_here ? newSecret() : ''
  const input = check(Webhook.Create, {
    name: nameOfWebhook(name, preset),
    partner_id,
    rules: rulesOf(preset, form),
    rate_limit: form.number('rate_limit'),
  })
  const { rules, rate_limit = null } = input
  await refuseBadKeys(rules)
  const made = await connectSystem(db, caller, {
    partner_id,
    new_partner: chosen === null ? name : null,
    mapping: mappingOf(starter, form),
    webhook: {
      ...{ id, name: input.name, rules, rate_limit },
      secrets: secret === '' ? [] : [await sealedSecret(c, id, secret)],
    },
  })
  const webhook = await webhooksOf(c).shown(made.row)
  const address = webhookAddress(c, made.key)
  const mapping = made.mapping === 'there' && starter ? 'kept' : made.mapping
  return { webhook, mapping, carried: { address, secret } } as const
}

function nameOf(form: Form): string {
  return check(Partner.Create.pick({ name: true }), { name: form.text('name') }).name
}

/** 400 VALIDATION_ERROR if there is none: the form names it. */
async function nameOfPartner(c: Context<AppEnv>, id: string): Promise<string> {
  const found = findPartner(c.get('db'), id).catch((error: unknown) => {
    const isUnknown = error instanceof ApiError && error.code === 'NOT_FOUND'
    throw isUnknown ? invalid({ partner_id: [error.message] }) : error
  })
  return (await found).name
}

/** `Keramik shop, orders`, in the length of a name. */
function nameOfWebhook(partner: string, { resource, title }: WebhookPreset): string {
  const part = title.includes(': ') ? resource : title
  return `${partner}, ${part}`.slice(0, NAME_LENGTH_MAX).toWellFormed()
}

/** Any text that a header or a base64 key can be. */
function newSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(SECRET_BYTES))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

const Prefix = z.object({
  prefix: z.string().max(50, { error: 'Must have at most 50 characters.' }),
})

function mappingOf(starter: Starter | null, form: Form) {
  if (!starter) return null
  const prefix = prefixOf(starter) === null ? '' : form.raw('prefix')
  check(Prefix, { prefix })
  const input = check(SaveMapping(starter.resource), withPrefix(starter, prefix))
  return changedMapping(null, input)
}
