import * as z from 'zod'
import { exampleOf } from '../../engine/model/record.ts'
import { tooManyKeys } from '../../settings/api-keys/bound.ts'
import { notRotated } from '../../settings/api-keys/rotate.ts'
import { WEBHOOK } from '../../settings/api-keys/webhooks/kind.ts'
import {
  SetWebhookSecret,
  ShownWebhookRules,
  Webhook,
} from '../../settings/api-keys/webhooks/schema.ts'
import { noSecretKey } from '../../settings/api-keys/webhooks/secrets.ts'
import { named } from '../components.ts'
import { endpoints, pageOf } from '../endpoint.ts'
import { because, thrown, unknownRecord, wrong } from '../errors.ts'

named('CreateWebhook', Webhook.Create)
named('UpdateWebhook', Webhook.Update)
named('SetWebhookSecret', SetWebhookSecret)
named('ShownWebhookRules', ShownWebhookRules)
named('Webhook', Webhook.Shown)

const CreatedWebhook = named(
  'CreatedWebhook',
  Webhook.Shown.extend({ address: z.string().nullable() }),
)

const EXAMPLE = Webhook.Shown.parse(exampleOf(Webhook))
const { name, partner_id, rules } = EXAMPLE
const ADDRESS = 'https://demo.example.com/webhooks/v1/<the address, shown this once>/'
const SECRET = '<as the sender shows it>'

const NOT_FOUND = unknownRecord(`No webhook has the id "${EXAMPLE.id}".`)
const MEANS = '`SCOPE_MISSING`, unless your own key covers what the webhook may do'

export const webhooksReference = endpoints('settings', 'Webhooks', {
  'POST /webhooks/': {
    operationId: 'createWebhook',
    summary: 'Create a webhook',
    description: `Creates an address at which a partner's system delivers documents. Only this response shows the address: we store a hash. A preset has \`rules\` to begin with. The webhook may do with its resource all that the integrations API can, but with orders of its partner alone: the response is ${MEANS}. Webhooks count as live API keys, of which a workspace has at most 10,000. Each repeated request creates another webhook.`,
    body: { example: { name, partner_id, rules, secret: SECRET } },
    answer: {
      status: 201,
      description: 'The webhook with its address.',
      data: CreatedWebhook,
      example: { ...EXAMPLE, address: ADDRESS },
    },
    errors: {
      VALIDATION_ERROR: wrong(
        'rules.take_if',
        "Must be one condition, such as @.status == 'paid'.",
      ),
      ...thrown(tooManyKeys()),
      ...thrown(noSecretKey()),
    },
  },
  'GET /webhooks/': {
    operationId: 'listWebhooks',
    summary: 'List webhooks',
    description: 'Returns all webhooks, newest first, including revoked and expired ones.',
    answer: pageOf('webhooks', Webhook.Shown, EXAMPLE),
  },
  'GET /webhooks/{id}/': {
    operationId: 'findWebhook',
    summary: 'Retrieve a webhook',
    description: 'Returns the webhook without its address and its secrets.',
    answer: { description: 'The webhook.', data: Webhook.Shown, example: EXAMPLE },
    errors: { NOT_FOUND },
  },
  'PUT /webhooks/{id}/': {
    operationId: 'updateWebhook',
    summary: 'Update a webhook',
    description: `Replaces the given fields, \`rules\` as a whole. The change takes effect with the next delivery. For more than \`name\` and \`pause\` the response is ${MEANS} afterwards. You can repeat this request.`,
    body: { example: { name: 'Keramik shop, orders' } },
    answer: { description: 'The updated webhook.', data: Webhook.Shown, example: EXAMPLE },
    errors: {
      VALIDATION_ERROR: wrong('partner_id', `No partner has the id "${partner_id}".`),
      SERVICE_ERROR: because('PARTNER_DELETED', {
        message:
          'expires_at: The webhook is linked to a deleted partner: send the partner_id of another one.',
        fields: {
          expires_at: [
            'The webhook is linked to a deleted partner: send the partner_id of another one.',
          ],
        },
      }),
      NOT_FOUND,
    },
  },
  'PUT /webhooks/{id}/secret/': {
    operationId: 'setWebhookSecret',
    summary: 'Set the secret',
    description: `Sets the secret that the sender proves itself by. The one before stays valid for \`overlap_seconds\`, so that deliveries go on while the sender changes it. Secrets are stored encrypted, and no response has them. The response is ${MEANS}. Repeated with an overlap, this request leaves its own secret alone valid.`,
    body: { example: { secret: SECRET, overlap_seconds: 3600 } },
    answer: { description: 'The webhook.', data: Webhook.Shown, example: EXAMPLE },
    errors: {
      VALIDATION_ERROR: wrong('secret', 'Must be base64, after whsec_.'),
      NOT_FOUND,
      ...thrown(noSecretKey()),
    },
  },
  'POST /webhooks/{id}/rotate/': {
    operationId: 'rotateWebhook',
    summary: 'Rotate the address',
    description: `Creates a webhook with the same fields, rules and secrets, and a new address. Only this response shows it. The old webhook ends after \`overlap_seconds\`, or at once without it. The response is ${MEANS}. One that has ended returns \`SERVICE_ERROR\`. Each repeated request creates another webhook until the old one has ended.`,
    body: { example: { overlap_seconds: 3600 } },
    answer: {
      status: 201,
      description: 'The new webhook with its address.',
      data: CreatedWebhook,
      example: {
        ...EXAMPLE,
        id: '2d40a1c3-8a44-4b0d-a4c1-1b8f3a4be802',
        rotated_from: EXAMPLE.id,
        address: ADDRESS,
      },
    },
    errors: {
      VALIDATION_ERROR: wrong('overlap_seconds', 'Must be at most 604800.'),
      ...thrown(notRotated(WEBHOOK, 'revoked')),
      NOT_FOUND,
    },
  },
  'DELETE /webhooks/{id}/': {
    operationId: 'revokeWebhook',
    summary: 'Revoke a webhook',
    description:
      'Ends the webhook at once and keeps its record: its address is then unknown. Every key with `settings.keys.write` may revoke any webhook. You can repeat this request.',
    answer: {
      description: 'The revoked webhook.',
      data: Webhook.Shown,
      example: { ...EXAMPLE, revoked_at: '2026-11-21T12:30:00.000Z', status: 'revoked' },
    },
    errors: { NOT_FOUND },
  },
})
