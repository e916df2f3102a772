import {
  clearable,
  given,
  hasFields,
  instant,
  isDate,
  isFlag,
  isInteger,
  isName,
  isPause,
  listOf,
  oneOf,
  optional,
} from './fields.ts'
import { mayChange } from './identifiers.ts'
import { ANYTHING, Chosen } from './matching.ts'
import {
  BROKEN_RULE,
  CHANGED,
  type Context,
  INVALID,
  instantOf,
  NOT_FOUND,
  type Operation,
  operation,
  page,
  SCOPE_MISSING,
  tagged,
  written,
} from './operation.ts'
import { coverAll } from './scopes.ts'
import {
  type Json,
  type Key,
  nextVersion,
  type State,
  versionAfter,
  withRecord,
  withVersion,
} from './state.ts'

const FIELDS = [
  'name',
  'scopes',
  'partner_id',
  'rate_limit',
  'own_orders_only',
  'reads',
  'pause',
  'expires_at',
]

/** Of those that the generators send: what covers something. */
const isScope = (scope: unknown) => /^(integrations|settings)\.[a-z.*]+$/.test(String(scope))
/** The only day of those that is over. */
const isAhead = (date: unknown) => isDate(date) && String(date) > '2026'

const checks = {
  scopes: optional(listOf(isScope)),
  partner_id: clearable(isName),
  rate_limit: clearable(isInteger(1, 30_000)),
  own_orders_only: optional(isFlag),
  reads: optional(oneOf('primary', 'near')),
  pause: clearable(isPause),
  expires_at: clearable(isAhead),
}

export function stateOf({ revoked_at, expires_at }: Key): 'active' | 'expired' | 'revoked' {
  if (revoked_at !== null) return 'revoked'
  const isOver = typeof expires_at === 'string' && expires_at < '2026'
  return isOver ? 'expired' : 'active'
}

const record = ({ hash, version, ...key }: Key) => ({
  ...key,
  last_used_at: ANYTHING,
  status: stateOf(key as Key),
})
const at = (state: State, id: string) => {
  const key = state.keys.get(id) as Key
  return { data: record(key), version: key.version }
}
/** With its value, which is shown once. */
const newAt = (state: State, id: string) => {
  const { data, version } = at(state, id)
  return { data: { ...data, key: new Chosen(`value of ${id}`) }, version }
}

export const keys: Record<string, Operation> = {
  'api-keys.create': operation('POST', '/api-keys/', 'settings.keys.write', {
    accepts: hasFields({ name: isName, ...checks }),
    act: create,
  }),
  'api-keys.list': operation('GET', '/api-keys/', 'settings.keys.read', {
    act: (context) => page(context, context.state.keys, 'api-keys', record),
  }),
  'api-keys.get': operation('GET', '/api-keys/:at/', 'settings.keys.read', {
    act: ({ state, at: id }) =>
      state.keys.has(id) ? tagged(200, state, () => at(state, id)) : NOT_FOUND,
  }),
  'api-keys.update': operation('PUT', '/api-keys/:at/', 'settings.keys.write', {
    accepts: hasFields({ name: optional(isName), ...checks }),
    act: update,
  }),
  'api-keys.rotate': operation('POST', '/api-keys/:at/rotate/', 'settings.keys.write', {
    accepts: hasFields({ overlap_seconds: optional(isInteger(0, 604_800)) }),
    act: rotate,
  }),
  'api-keys.revoke': operation('DELETE', '/api-keys/:at/', 'settings.keys.write', {
    act: revoke,
  }),
}

function isLive(state: State, partner: unknown): boolean {
  return state.partners.get(String(partner))?.deleted_at === null
}

/** Who sees the orders of one partner alone gives nobody a key, and who has a partner only keys of this partner. */
const mayGrant = (own: Key, { scopes, partner_id }: Key) =>
  !own.own_orders_only &&
  (own.partner_id === null || own.partner_id === partner_id) &&
  coverAll(own.scopes, scopes)
const hasNoOwnOrders = (key: Key) => key.own_orders_only && key.partner_id === null

function settings(body: Json): Partial<Key> {
  const { scopes, expires_at, ...fields } = given(body, FIELDS)
  return {
    ...fields,
    ...(scopes !== undefined && { scopes: [...new Set(scopes as string[])] }),
    ...(expires_at !== undefined && { expires_at: instant(expires_at) }),
  }
}

function create({ state, key: own, body, made }: Context) {
  const { id } = made
  const key: Key = {
    name: '',
    scopes: ['integrations.*'],
    partner_id: null,
    rate_limit: null,
    own_orders_only: false,
    reads: 'primary',
    pause: null,
    expires_at: null,
    ...settings(body),
    id,
    hash: new Chosen(`hash of ${id}`),
    hint: new Chosen(`hint of ${id}`),
    revoked_at: null,
    rotated_from: null,
    created_at: instantOf(made),
    release: 'current',
    version: nextVersion(state),
  }
  if (!mayGrant(own, key)) return SCOPE_MISSING
  if (key.partner_id !== null && !isLive(state, key.partner_id)) return INVALID
  if (hasNoOwnOrders(key)) return BROKEN_RULE
  const next = withVersion(withRecord(state, 'keys', id, key), 1 + Number(key.reads === 'near'))
  return tagged(201, next, (later) => newAt(later, id))
}

function update(context: Context) {
  const { state, key: own, body, at: id } = context
  const key = state.keys.get(id)
  if (!key) return NOT_FOUND
  if (!mayChange(context, key)) return { ...CHANGED, version: key.version }
  const fields = settings(body)
  const next = { ...key, ...fields, version: versionAfter(state, key, fields) }
  const keepsAccess = Object.keys(fields).every((name) => ['name', 'pause'].includes(name))
  if (!keepsAccess && !mayGrant(own, next)) return SCOPE_MISSING
  const isEndOrPartner = 'partner_id' in fields || 'expires_at' in fields
  if (isEndOrPartner && next.partner_id !== null && !isLive(state, next.partner_id)) {
    return typeof fields.partner_id === 'string' ? INVALID : BROKEN_RULE
  }
  if (hasNoOwnOrders(next)) return BROKEN_RULE
  const becomesNear = next.reads === 'near' && key.reads !== 'near'
  const changes = Object.keys(fields).length === 0 ? 0 : 1 + Number(becomesNear)
  return tagged(200, withVersion(withRecord(state, 'keys', id, next), changes), (later) =>
    at(later, id),
  )
}

function rotate(context: Context) {
  const { state, key: own, body, at: old, made } = context
  const key = state.keys.get(old)
  if (!key) return NOT_FOUND
  if (!mayChange(context, key)) return { ...CHANGED, version: key.version }
  if (!mayGrant(own, key)) return SCOPE_MISSING
  if (stateOf(key) !== 'active') return BROKEN_RULE
  const { id } = made
  const now = instantOf(made)
  const successor: Key = {
    ...key,
    id,
    hash: new Chosen(`hash of ${id}`),
    hint: new Chosen(`hint of ${id}`),
    rotated_from: old,
    created_at: now,
    version: nextVersion(state),
  }
  // The earlier one of two ends; which one that is, the order of commits does not say.
  const end = new Chosen(`end of ${old}, by ${made.request_id}`)
  const created = 1 + Number(key.reads === 'near')
  const version = nextVersion(state, created)
  const ended = body.overlap_seconds
    ? { ...key, expires_at: end, version }
    : { ...key, revoked_at: now, version }
  const next = withRecord(withRecord(state, 'keys', old, ended), 'keys', id, successor)
  return tagged(201, withVersion(next, created + 1), (later) => newAt(later, id))
}

function revoke(context: Context) {
  const { state, at: id, made } = context
  const key = state.keys.get(id)
  if (!key) return NOT_FOUND
  if (!mayChange(context, key)) return { ...CHANGED, version: key.version }
  const ended = { ...key, revoked_at: instantOf(made), version: nextVersion(state) }
  const revoked = withRecord(state, 'keys', id, ended)
  const next = key.revoked_at === null ? withVersion(revoked, 1) : state
  return written(200, next, (later) => at(later, id).data)
}
