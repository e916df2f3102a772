import { type ApiError, type FieldErrors, invalid } from '../../engine/errors.ts'
import type { WebhookRules } from '../../engine/webhooks/rules.ts'
import type { Form } from '../form/form.ts'
import { sentWebhook, type WebhookFields } from './fields.ts'
import { actionsIn, keysIn, placeIn } from './texts.ts'

/** The form as input for the bodies of Webhook. 400 VALIDATION_ERROR for texts of the form that cannot be read. */
export function inputOfWebhook(form: Form) {
  const fields = sentWebhook(form)
  const faults: FieldErrors = {}
  const rules = rulesOf(fields, form, faults)
  if (Object.keys(faults).length > 0) throw invalid(faults)
  return {
    name: fields.name,
    partner_id: fields.partner_id,
    rules,
    rate_limit: form.number('rate_limit'),
    expires_at: form.optional('expires_at'),
  }
}

/** Faults are added by the names of the form's fields. */
function rulesOf(fields: WebhookFields, form: Form, faults: FieldErrors) {
  const actions = actionsIn(fields.actions)
  if ('message' in actions) faults.actions = [actions.message]
  return {
    resource: fields.resource,
    verification: verificationOf(fields, form, faults),
    event: eventOf(fields.event, faults),
    delivery_id: placeOrFault(fields.delivery_id, 'delivery_id', faults),
    document: fields.document || null,
    actions: 'actions' in actions ? actions.actions : {},
    take_if: fields.take_if || null,
    cancel_if: fields.cancel_if || null,
    changed_at: fields.changed_at || null,
    headers: linesOf(fields.headers),
    query: linesOf(fields.query),
    // A member that the form forgot would be deleted by each edit.
  } satisfies Record<keyof WebhookRules, unknown>
}

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}

function eventOf(text: string, faults: FieldErrors) {
  const places = linesOf(text).map((line) => placeOrFault(line, 'event', faults))
  return places.length > 1 ? places : (places[0] ?? null)
}

const PLACES = ['header', 'path'] as const

function placeOrFault(text: string, field: string, faults: FieldErrors) {
  if (text === '') return null
  const place = placeIn(text, PLACES)
  if (place === null) faults[field] = ['Write header X-Topic for a header, or path data.type.']
  return place
}

/** With the members that this kind has; those of others are hidden in the form. */
function verificationOf(fields: WebhookFields, form: Form, faults: FieldErrors) {
  const { kind, header, prefix, username } = fields
  if (kind === 'basic') return { kind, username }
  if (kind === 'token') return { kind, header, ...given({ prefix }) }
  if (kind !== 'hmac' && kind !== 'public_key') return { kind }
  const { encoding, signed, separator, origin } = fields
  const timestamp = timestampOf(fields, form, faults)
  return {
    kind,
    header,
    encoding,
    ...given({ prefix, separator, signed, origin }),
    ...(timestamp && { timestamp }),
    ...(fields.id && { id: { header: fields.id } }),
    ...(kind === 'hmac' ? hmacOf(fields) : keyOf(fields)),
  }
}

function hmacOf({ algorithm, secret_encoding, secret_prefix }: WebhookFields) {
  return { algorithm, secret_encoding, ...given({ secret_prefix }) }
}

function keyOf({ key_algorithm, format, keys }: WebhookFields) {
  return { algorithm: key_algorithm, format, keys: keysIn(keys) }
}

const TIMES = ['header', 'member', 'path'] as const

function timestampOf({ timestamp }: WebhookFields, form: Form, faults: FieldErrors) {
  if (timestamp === '') return null
  const place = placeIn(timestamp, TIMES)
  if (place === null) {
    faults.timestamp = ['Write header X-Time, member t of the signature header, or path sent_at.']
  }
  const tolerance_s = form.number('tolerance_s')
  return { ...place, ...(tolerance_s !== null && { tolerance_s }) }
}

/** Without those that are empty. */
function given(texts: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== ''))
}

const MEMBER = /^rules\.(?:verification\.)?(\w+)(.*)$/

/** The error with the names of the form's fields in place of those of the body. */
export function atFields(error: ApiError, { kind }: WebhookFields): ApiError {
  const fields: FieldErrors = {}
  for (const [name, messages] of Object.entries(error.details.fields ?? {})) {
    const { field, place } = fieldOf(name, kind)
    const placed = messages.map((message) => (place === '' ? message : `${place}: ${message}`))
    fields[field] = [...(fields[field] ?? []), ...placed]
  }
  const isOfFields = error.code === 'VALIDATION_ERROR' && Object.keys(fields).length > 0
  return isOfFields ? invalid(fields) : error
}

const OF_SEVERAL = ['keys', 'actions', 'headers', 'query']

/** `place` says which of several values of a field is meant. */
function fieldOf(name: string, kind: string): { field: string; place: string } {
  if (name === 'rules.verification.timestamp.tolerance_s')
    return { field: 'tolerance_s', place: '' }
  const [, member, rest = ''] = MEMBER.exec(name) ?? []
  if (member === undefined) return { field: name, place: '' }
  if (member === 'algorithm' && kind === 'public_key') return { field: 'key_algorithm', place: '' }
  const place = rest
    .replace(/^\./, '')
    .replace(/^\['(.*)'\]$/, '$1')
    .replace(/^\[(\d+)\]$/, (_, at) => `No. ${Number(at) + 1}`)
  return {
    field: member === 'verification' ? 'kind' : member,
    place: OF_SEVERAL.includes(member) ? place : '',
  }
}
