import { RESOURCES } from '../../engine/mapping/identifier.ts'
import type { Mapping } from '../../engine/mapping/schema.ts'
import { ACTIONS_OF, ANY_EVENT } from '../../engine/webhooks/rules.ts'
import { ENCODINGS, HMAC_ALGORITHMS } from '../../engine/webhooks/verification.ts'
import type { Starter } from '../../settings/mapping-starters/starters.ts'
import { openMembers } from '../../settings/webhook-presets/open-members.ts'
import type { WebhookPreset } from '../../settings/webhook-presets/preset-schema.ts'
import type { Form } from '../form/form.ts'
import type { Shape } from '../form/shape.ts'
import { keysIn } from '../webhooks/texts.ts'
import { isOpen } from './preset.ts'

/** How a field of the form is called: as the settings API calls it, so that its errors stand beside it. */
const VERIFICATION = 'rules.verification.'
export const RESOURCE = 'rules.resource'
export const KEYS = `${VERIFICATION}keys`

export interface OpenField {
  name: string
  label: string
  value: string
  help: string
  options?: readonly string[]
}

/** What the preset leaves to the user, with the values that the form begins with. */
export function openFields(preset: WebhookPreset, origin: string): OpenField[] {
  const { verification } = preset.rules
  const open = Object.keys(openMembers(verification))
  const begun: Record<string, unknown> = { ...verification, origin }
  const hasOwnHeader = preset.sender === null && 'header' in verification
  const asked = hasOwnHeader ? [...open, 'header', 'prefix', 'algorithm', 'encoding'] : open
  return ASKED.filter(
    ({ name, kinds }) => asked.includes(name) && kinds.includes(verification.kind),
  )
    .filter(({ name }) => name !== 'keys')
    .map(({ name, kinds, ...field }) => {
      const value = begun[name]
      return { ...field, name: VERIFICATION + name, value: typeof value === 'string' ? value : '' }
    })
}

const ASKED: (Omit<OpenField, 'value'> & { kinds: string[] })[] = [
  {
    name: 'username',
    kinds: ['basic'],
    label: 'User name',
    help: 'The sender sends it with the password.',
  },
  {
    name: 'origin',
    kinds: ['hmac', 'public_key'],
    label: 'Where the sender finds Crossdock',
    help: 'The address is part of what the sender signs. This is its beginning, such as https://api.example.com.',
  },
  {
    name: 'header',
    kinds: ['hmac', 'token'],
    label: 'Header',
    help: 'The header in which the sender proves who it is.',
  },
  {
    name: 'prefix',
    kinds: ['token', 'hmac'],
    label: 'Text before it',
    help: 'What stands in the header before the token or signature, such as Bearer. Empty if nothing does.',
  },
  {
    name: 'algorithm',
    kinds: ['hmac'],
    label: 'Algorithm',
    help: 'By which the sender signs.',
    options: HMAC_ALGORITHMS,
  },
  {
    name: 'encoding',
    kinds: ['hmac'],
    label: 'Encoding',
    help: 'How the signature is written.',
    options: ENCODINGS,
  },
]

/** Whether the user pastes public keys. */
export function takesKeys({ rules }: WebhookPreset): boolean {
  return rules.verification.kind === 'public_key'
}

/** What the form of this preset sends. */
export function shapeOf(preset: WebhookPreset, starter: Starter | null): Shape {
  return {
    fields: [
      ...['name', 'partner_id', 'rate_limit'],
      ...(prefixOf(starter) === null ? [] : ['prefix']),
      ...(isOpen(preset) ? [RESOURCE] : []),
      ...(takesKeys(preset) ? [KEYS] : []),
      ...openFields(preset, '').map(({ name }) => name),
    ],
  }
}

/** The rules with what the user has filled in, as input for a webhook. */
export function rulesOf(preset: WebhookPreset, form: Form): unknown {
  const { rules } = preset
  const resource = isOpen(preset) ? resourceIn(form) : rules.resource
  const verification: Record<string, unknown> = { ...rules.verification }
  for (const { name } of openFields(preset, '')) {
    const member = name.slice(VERIFICATION.length)
    const text = member === 'prefix' ? form.raw(name) : form.text(name)
    if (text === '' && member === 'prefix') delete verification[member]
    else verification[member] = text
  }
  if (takesKeys(preset)) verification.keys = keysIn(form.raw(KEYS))
  const [most] = ACTIONS_OF[resource]
  const actions = isOpen(preset) ? { ...rules.actions, [ANY_EVENT]: most } : rules.actions
  return { ...rules, resource, actions, verification }
}

function resourceIn(form: Form) {
  const text = form.text(RESOURCE)
  return RESOURCES.find((resource) => resource === text) ?? 'orders'
}

/** What the starter writes before each order number; null if it writes nothing. */
export function prefixOf(starter: Starter | null): string | null {
  const [first] = joined(starter?.mapping) ?? []
  const isText = typeof first === 'object' && first !== null && 'value' in first
  return isText && typeof first.value === 'string' ? first.value : null
}

/** The mapping of the starter with this prefix. */
export function withPrefix(starter: Starter, prefix: string): unknown {
  const { mapping } = starter
  if (prefixOf(starter) === null || !mapping.inbound) return mapping
  const { order_number, ...others } = mapping.inbound.fields
  const [, ...rest] = joined(mapping) ?? []
  const join = prefix === '' ? rest : [{ value: prefix }, ...rest]
  const rule = { ...(order_number as object), join }
  return {
    ...mapping,
    inbound: { ...mapping.inbound, fields: { order_number: rule, ...others } },
  }
}

function joined(mapping: Mapping | undefined): unknown[] | null {
  const rule: unknown = mapping?.inbound?.fields.order_number
  const isJoin = typeof rule === 'object' && rule !== null && 'join' in rule
  return isJoin && Array.isArray(rule.join) ? rule.join : null
}
