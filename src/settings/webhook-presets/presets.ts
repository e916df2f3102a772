import { shipped } from '../shipped.ts'
import type { WebhookPreset } from './preset-schema.ts'

/** The files in `documents/`. */
export const WEBHOOK_PRESET_NAMES = [
  'address',
  'basic',
  'bigcommerce-orders',
  'ecwid-orders',
  'github',
  'hmac',
  'magento-orders',
  'saleor-orders',
  'saleor-orders-secret-key',
  'shiphero-inventory',
  'shopify-inventory-levels',
  'shopify-orders',
  'shopify-products',
  'shopware-orders',
  'spree-orders',
  'square-orders',
  'standard-webhooks',
  'stripe',
  'svix',
  'token',
  'woocommerce-orders',
  'woocommerce-products',
]

export const presets = shipped<WebhookPreset>({
  folder: 'webhook-presets',
  names: WEBHOOK_PRESET_NAMES,
  called: 'webhook preset',
})

export const { list: listPresets, find: findPreset } = presets
