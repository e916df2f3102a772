import type { Context } from 'hono'
import * as z from 'zod'
import type { AppEnv } from '../../engine/env.ts'
import { GRANTABLE } from '../../engine/identity/scopes.ts'
import { byName } from '../../engine/json/by-name.ts'
import type { JsonObject } from '../../engine/json/json-object.ts'
import { CURRENT } from '../../engine/releases/release.ts'
import { ApiKey } from '../../settings/api-keys/schema.ts'
import { stateAs } from '../../settings/history/schema.ts'
import type { Form } from '../form/form.ts'
import type { Shape } from '../form/shape.ts'
import { VERSION } from '../form/version.tsx'
import { fieldTime } from '../parts/field-time.ts'
import { type Access, accessIn, accessOf, scopesOf, widestAccess } from './access-choice.ts'

const BESIDE_NAME = [
  'access',
  'partner_id',
  'own_orders_only',
  'reads',
  'release',
  'rate_limit',
  'expires_at',
] as const
const FIELDS = ['name', ...BESIDE_NAME, VERSION] as const
const SCOPES = { names: ['scopes'], max: GRANTABLE.length }

export const NEW_KEY: Shape = { fields: ['name', ...BESIDE_NAME], groups: [SCOPES] }

/** Of the form that only renames a key (showRenaming), too. */
export const KEY: Shape = {
  fields: ['name', VERSION],
  groups: [{ names: BESIDE_NAME, max: 1 }, SCOPES],
}

/**
 * The values of the form's fields, of which `expires_at` is a `datetime-local` value in UTC. `rate_limit` is empty for no
 * limit, `expires_at` for no end, the version for a new key.
 */
export interface KeyFields extends Record<(typeof FIELDS)[number], string> {
  access: Access
  scopes: readonly string[]
  own_orders_only: 'true' | 'false'
}

/**
 * The fields of a new key, with the widest access that the session's key can grant, for the partner of this key, or
 * else for the one that the address names.
 */
export function newKeyOf(c: Context<AppEnv>): KeyFields {
  return {
    ...byName(FIELDS, () => ''),
    access: widestAccess(c),
    scopes: [],
    partner_id: c.get('caller').partner?.id ?? c.req.query('partner_id') ?? '',
    own_orders_only: 'false',
    reads: 'primary',
    release: CURRENT.name,
  }
}

const FormerKey = ApiKey.Shown.pick({
  name: true,
  scopes: true,
  partner_id: true,
  own_orders_only: true,
  reads: true,
  release: true,
  rate_limit: true,
  expires_at: true,
}).extend({ scopes: z.array(z.string()) })

type SavedKey = z.output<typeof FormerKey> & { version?: number }

/** The fields of a key as the history has it; null if that has another shape. */
export function formerKey(state: JsonObject | null) {
  const key = stateAs(FormerKey, state)
  return key && choicesOfKey(fieldsOfRecord(key))
}

export function fieldsOfRecord(key: SavedKey): KeyFields {
  return {
    name: key.name,
    access: accessOf(key.scopes),
    scopes: key.scopes,
    partner_id: key.partner_id ?? '',
    own_orders_only: key.own_orders_only ? 'true' : 'false',
    reads: key.reads,
    release: key.release,
    rate_limit: key.rate_limit?.toString() ?? '',
    expires_at: fieldTime(key.expires_at ?? ''),
    version: String(key.version ?? ''),
  }
}

export type KeyChoices = ReturnType<typeof choicesOfKey>

/**
 * The fields for a merge. Access and scopes are one choice, because scopes count only with the access `chosen`. Their
 * order means nothing.
 */
export function choicesOfKey({ access, scopes, ...fields }: KeyFields) {
  return { ...fields, scopes: access === 'chosen' ? scopes.toSorted() : access }
}

export function fieldsOfChoices({ scopes, ...fields }: KeyChoices): KeyFields {
  return typeof scopes === 'string'
    ? { ...fields, access: scopes, scopes: [] }
    : { ...fields, access: 'chosen', scopes }
}

export function sentKey(form: Form): KeyFields {
  return {
    ...byName(FIELDS, (name) => form.text(name)),
    access: accessIn(form),
    scopes: form.all('scopes'),
    own_orders_only: isOwnOrdersOnly(form) ? 'true' : 'false',
  }
}

function isOwnOrdersOnly(form: Form): boolean {
  return form.text('own_orders_only') === 'true'
}

/** The form as input for the bodies of ApiKey. */
export function inputOfForm(form: Form) {
  return {
    name: form.text('name'),
    scopes: scopesOf(form),
    partner_id: form.optional('partner_id'),
    own_orders_only: isOwnOrdersOnly(form),
    reads: form.text('reads'),
    release: form.text('release'),
    rate_limit: form.number('rate_limit'),
    expires_at: form.optional('expires_at'),
  }
}
