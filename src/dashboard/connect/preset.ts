import type { WebhookPreset } from '../../settings/webhook-presets/preset-schema.ts'

/** Whether its events name a record without carrying it: what arrives is checked, and skipped. */
export function carriesNothing({ rules: { actions } }: WebhookPreset): boolean {
  return Object.values(actions).every((action) => action === 'skip')
}

/** Whether it is for any sender of one style, so that the user says what is delivered, and how it is signed. */
export function isOpen(preset: WebhookPreset): boolean {
  return preset.starter === null && !carriesNothing(preset)
}

/** `WooCommerce` of `WooCommerce: orders`. */
export function systemOf({ title }: WebhookPreset): string {
  return title.split(': ')[0] ?? title
}

/** `Orders` of `WooCommerce: orders`; null of a title that names the system alone. */
export function partOf({ title }: WebhookPreset): string | null {
  const [, part] = title.split(': ')
  return part ? part.charAt(0).toUpperCase() + part.slice(1) : null
}
