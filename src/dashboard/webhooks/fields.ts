import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import { byName } from '../../engine/json/by-name.ts'
import type { JsonObject } from '../../engine/json/json-object.ts'
import { WebhookRules } from '../../engine/webhooks/rules.ts'
import type { ShownWebhook } from '../../settings/api-keys/webhooks/kind.ts'
import { Webhook } from '../../settings/api-keys/webhooks/schema.ts'
import { stateAs } from '../../settings/history/schema.ts'
import type { WebhookPreset } from '../../settings/webhook-presets/preset-schema.ts'
import type { Form } from '../form/form.ts'
import type { Shape } from '../form/shape.ts'
import { VERSION } from '../form/version.tsx'
import { fieldTime } from '../parts/field-time.ts'
import { actionsText, eventText, placeText } from './texts.ts'
import { NO_VERIFICATION, VERIFICATION_FIELDS, verificationFields } from './verification-fields.ts'

const BESIDE_NAME = [
  'partner_id',
  'resource',
  ...VERIFICATION_FIELDS,
  'event',
  'delivery_id',
  'document',
  'actions',
  'take_if',
  'cancel_if',
  'changed_at',
  'headers',
  'query',
  'rate_limit',
  'expires_at',
] as const

const FIELDS = ['name', ...BESIDE_NAME] as const

/** `preset`: from which the form was filled in; its steps are shown once the webhook has an address. */
export const NEW_WEBHOOK: Shape = { fields: [...FIELDS, 'secret', 'preset'] }

/** Of the form that only renames a webhook, too. */
export const WEBHOOK_FORM: Shape = {
  fields: ['name', VERSION],
  groups: [{ names: BESIDE_NAME, max: 1 }],
}

/** The texts of the form's fields. `version` is empty for a new webhook. */
export type WebhookFields = Record<(typeof FIELDS)[number] | 'version', string>

/** The spaces at their ends count: a separator may be one. */
const AS_SENT: readonly string[] = ['prefix', 'separator', 'secret_prefix', 'signed']

export function sentWebhook(form: Form): WebhookFields {
  return {
    ...byName(FIELDS, (name) => (AS_SENT.includes(name) ? form.raw(name) : form.text(name))),
    version: form.text(VERSION),
  }
}

/** Rules as the file of a preset has them: what only the user knows is missing, and lists may be. */
type OpenRules = Omit<WebhookRules, 'verification' | 'headers' | 'query'> &
  Partial<Pick<WebhookRules, 'headers' | 'query'>> &
  Pick<WebhookPreset['rules'], 'verification'>

/** The fields of a new webhook, for the partner of the session's key, or else for the one that the address names. */
export function newWebhookOf(c: Context<AppEnv>, preset: WebhookPreset | null): WebhookFields {
  return {
    ...(preset ? ruleFields(preset.rules) : NO_RULES),
    name: '',
    partner_id: c.get('caller').partner?.id ?? c.req.query('partner_id') ?? '',
    rate_limit: '',
    expires_at: '',
    version: '',
  }
}

const NO_RULES = { ...byName(BESIDE_NAME, () => ''), ...NO_VERIFICATION, resource: 'orders' }

function ruleFields({ resource, verification, headers = [], query = [], ...rules }: OpenRules) {
  return {
    ...verificationFields(verification),
    resource,
    event: eventText(rules.event),
    delivery_id: rules.delivery_id === null ? '' : placeText(rules.delivery_id),
    document: rules.document ?? '',
    actions: actionsText(rules.actions),
    take_if: rules.take_if ?? '',
    cancel_if: rules.cancel_if ?? '',
    changed_at: rules.changed_at ?? '',
    headers: headers.join('\n'),
    query: query.join('\n'),
  }
}

const SETTINGS = { name: true, partner_id: true, rate_limit: true, expires_at: true } as const

const FormerWebhook = Webhook.Shown.pick(SETTINGS).extend({ webhook: WebhookRules })

/** The fields of a webhook as the history has it; null if that has another shape. */
export function formerWebhook(state: JsonObject | null): WebhookFields | null {
  const former = stateAs(FormerWebhook, state)
  return former && fieldsOfWebhook({ ...former, rules: former.webhook })
}

type SavedWebhook = Pick<ShownWebhook, keyof typeof SETTINGS | 'rules'> & { version?: number }

export function fieldsOfWebhook(webhook: SavedWebhook): WebhookFields {
  return {
    ...ruleFields(webhook.rules),
    name: webhook.name,
    partner_id: webhook.partner_id,
    rate_limit: webhook.rate_limit?.toString() ?? '',
    expires_at: fieldTime(webhook.expires_at ?? ''),
    version: String(webhook.version ?? ''),
  }
}
