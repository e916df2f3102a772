import * as z from 'zod'
import { picked } from '../../../engine/db/columns.ts'
import { boundedText, Name } from '../../../engine/json/fields.ts'
import { RESOURCES } from '../../../engine/mapping/identifier.ts'
import { schemasOf } from '../../../engine/model/record.ts'
import { WebhookRules } from '../../../engine/webhooks/rules.ts'
import { secretFault } from '../../../engine/webhooks/secret.ts'
import { VERIFICATION_KINDS } from '../../../engine/webhooks/verification.ts'
import { shownOnly } from '../../fields.ts'
import { pauseField } from '../../pause.ts'
import { ApiKey, OverlapSeconds } from '../schema.ts'

const SECRET_LENGTH_MAX = 1000

const Secret = boundedText(SECRET_LENGTH_MAX).min(1)

const EXAMPLE = {
  resource: 'orders',
  verification: {
    kind: 'hmac',
    header: 'X-WC-Webhook-Signature',
    algorithm: 'sha256',
    encoding: 'base64',
    signed: '{body}',
  },
  event: { header: 'X-WC-Webhook-Topic' },
  delivery_id: { header: 'X-WC-Webhook-Delivery-ID' },
  document: null,
  actions: { 'order.created': 'upsert', 'order.updated': 'upsert', '*': 'skip' },
  take_if: "@.status == 'processing' || @.status == 'completed'",
  cancel_if: "@.status == 'cancelled' || @.status == 'refunded'",
  changed_at: 'date_modified_gmt',
} satisfies z.input<typeof WebhookRules>

/** Of rules in responses. Their other members are as those of the body. */
export const ShownWebhookRules = z.looseObject({
  resource: z.enum(RESOURCES),
  verification: z.looseObject({ kind: z.enum(VERIFICATION_KINDS) }),
})

const SetSecret = z.object({ set_at: z.string(), ends_at: z.string().nullable() })

const FIELDS = {
  ...picked(ApiKey.fields, ['id', 'name']),
  hint: shownOnly(z.string(), {
    about: 'The beginning and end of the secret part of the address, to tell webhooks apart.',
    example: 'xh_demo_…Q7kD',
  }),
  partner_id: {
    create: Name,
    update: Name.optional(),
    shown: z.string(),
    about: 'The partner whose mapping understands the documents, and to whom the orders belong.',
    example: '8f4f5a1e-6a43-4a4f-8f0a-54b1fd5f9a77',
  },
  rules: {
    create: WebhookRules,
    update: WebhookRules.optional(),
    shown: ShownWebhookRules,
    about: 'How deliveries are checked and understood. They are replaced as a whole.',
    example: EXAMPLE,
  },
  secrets: shownOnly(z.array(SetSecret), {
    about:
      'When each secret was set, the newest first, and when it ends. No response has a secret.',
    example: [{ set_at: '2026-11-21T12:07:50.269Z', ends_at: null }],
  }),
  needs_secret: shownOnly(z.boolean(), {
    about:
      'Whether the check needs a secret and none is in force that can be used: deliveries are then 503.',
    example: false,
  }),
  ...picked(ApiKey.fields, ['rate_limit']),
  pause: pauseField('the webhook'),
  ...picked(ApiKey.fields, [
    'expires_at',
    'revoked_at',
    'rotated_from',
    'created_at',
    'last_used_at',
    'status',
  ]),
}

const { Create, Update, Shown } = schemasOf(FIELDS)

/** A webhook, in the order of responses. */
export const Webhook = {
  fields: FIELDS,
  Create: Create.extend({ secret: Secret.nullish() }).superRefine(({ rules, secret }, context) => {
    if (typeof secret !== 'string') return
    const message = secretFault(rules.verification, secret)
    if (message) context.addIssue({ code: 'custom', path: ['secret'], message })
  }),
  Update,
  Shown,
}

export type CreateWebhook = z.output<typeof Webhook.Create>
export type UpdateWebhook = z.output<typeof Webhook.Update>

/** The secret that holds from now on. The one before it ends after the overlap, at once without one. */
export const SetWebhookSecret = z.object({ secret: Secret, overlap_seconds: OverlapSeconds })
export type SetWebhookSecret = z.output<typeof SetWebhookSecret>
