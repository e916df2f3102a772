import * as z from 'zod'
import { RESOURCES } from '../../engine/mapping/identifier.ts'
import { named } from '../components.ts'
import { endpoints, pageOf } from '../endpoint.ts'
import { unknownRecord } from '../errors.ts'

// In full it would be a twentieth of the reference, and no caller writes a preset.
const Preset = named(
  'WebhookPreset',
  z.object({
    name: z.string(),
    title: z.string(),
    about: z.string(),
    resource: z.enum(RESOURCES),
    starter: z.string().nullable(),
    rules: z.looseObject({}),
    secret: z.looseObject({}).nullable(),
    steps: z.array(z.string()),
    sender: z.record(z.string(), z.string()).nullable(),
    answer: z.looseObject({}).nullable(),
    test_document: z.string().nullable(),
    sources: z.array(z.string()),
    differs: z.string().nullable(),
  }),
)

const PRESET = {
  name: 'woocommerce-orders',
  title: 'WooCommerce: orders',
  about: 'New and changed orders arrive whole.',
  resource: 'orders' as const,
  starter: 'woocommerce-order',
  rules: { resource: 'orders', actions: { 'order.created': 'upsert', '*': 'skip' } },
  secret: null,
  steps: ['Enter {address} as Delivery URL.'],
  sender: null,
  answer: null,
  test_document: 'woocommerce-order',
  sources: ['class-wc-webhook.php'],
  differs: null,
}

export const webhookPresetsReference = endpoints('settings', 'Webhooks', {
  'GET /webhook-presets/': {
    operationId: 'listWebhookPresets',
    summary: 'List webhook presets',
    description: 'Returns how well-known systems deliver by webhook.',
    answer: pageOf('presets, by name', Preset, PRESET),
  },
  'GET /webhook-presets/{name}/': {
    operationId: 'findWebhookPreset',
    summary: 'Retrieve a webhook preset',
    description: 'Returns one preset.',
    answer: { description: 'The preset.', data: Preset, example: PRESET },
    errors: {
      NOT_FOUND: unknownRecord(
        'There is no webhook preset "acme": GET /api/settings/v1/webhook-presets/ lists all.',
      ),
    },
  },
})
