import {
  clearable,
  given,
  hasFields,
  isName,
  isPause,
  isPolicy,
  oneOf,
  optional,
} from './fields.ts'
import { FIELDS, mayChange } from './identifiers.ts'
import { stateOf } from './keys.ts'
import {
  CHANGED,
  type Context,
  DUPLICATE,
  instantOf,
  NOT_FOUND,
  type Operation,
  operation,
  page,
  refused,
  tagged,
  written,
} from './operation.ts'
import {
  nextVersion,
  type Partner,
  type State,
  versionAfter,
  withRecord,
  withVersion,
} from './state.ts'

const IN_USE = refused(409, 'IN_USE')
const checks = {
  default_identifier_field: clearable(oneOf(...FIELDS)),
  keep_documents: clearable(isPolicy),
  pause: clearable(isPause),
}
const OWN = Object.keys(checks)

const record = ({ deleted_at, version, ...partner }: Partner) => partner
const at = (state: State, id: string) => {
  const partner = state.partners.get(id) as Partner
  return { data: record(partner), version: partner.version }
}
const isLive = ({ deleted_at }: Partner) => deleted_at === null

export const partners: Record<string, Operation> = {
  'partners.create': operation('POST', '/partners/', 'settings.partners.write', {
    accepts: hasFields({ name: isName, ...checks }),
    act: create,
  }),
  'partners.list': operation('GET', '/partners/', 'settings.partners.read', {
    act: (context) => page(context, context.state.partners, 'partners', record, isLive),
  }),
  'partners.get': operation('GET', '/partners/:at/', 'settings.partners.read', {
    act: ({ state, at: id }) =>
      livePartner(state, id) ? tagged(200, state, () => at(state, id)) : NOT_FOUND,
  }),
  'partners.update': operation('PUT', '/partners/:at/', 'settings.partners.write', {
    accepts: hasFields({ name: optional(isName), ...checks }),
    act: update,
  }),
  'partners.delete': operation('DELETE', '/partners/:at/', 'settings.partners.write', {
    act: remove,
  }),
}

export function livePartner(state: State, id: string | null): Partner | null {
  const partner = id === null ? undefined : state.partners.get(id)
  return partner && isLive(partner) ? partner : null
}

function isTaken({ partners }: State, name: unknown, but: string): boolean {
  return [...partners.values()].some((one) => isLive(one) && one.name === name && one.id !== but)
}

function create({ state, body, made }: Context) {
  const { id } = made
  const name = String(body.name)
  if (isTaken(state, name, id)) return DUPLICATE
  const now = instantOf(made)
  const partner: Partner = {
    default_identifier_field: null,
    keep_documents: state.workspace.keep_documents,
    pause: null,
    ...given(body, OWN),
    id,
    name,
    created_at: now,
    updated_at: now,
    deleted_at: null,
    version: nextVersion(state),
  }
  const next = withVersion(withRecord(state, 'partners', id, partner), 1)
  return tagged(201, next, (later) => at(later, id))
}

function update(context: Context) {
  const { state, body, at: id, made } = context
  const partner = livePartner(state, id)
  if (!partner) return NOT_FOUND
  if (!mayChange(context, partner)) return { ...CHANGED, version: partner.version }
  const fields = given(body, ['name', ...OWN])
  if ('name' in fields && isTaken(state, fields.name, id)) return DUPLICATE
  const version = versionAfter(state, partner, fields)
  const changed = { ...partner, ...fields, version, updated_at: instantOf(made) }
  const next =
    Object.keys(fields).length === 0
      ? state
      : withVersion(withRecord(state, 'partners', id, changed), 1)
  return tagged(200, next, (later) => at(later, id))
}

function remove(context: Context) {
  const { state, at: id, made } = context
  const partner = livePartner(state, id)
  if (!partner) return NOT_FOUND
  if (!mayChange(context, partner)) return { ...CHANGED, version: partner.version }
  const linked = [...state.keys.values()].filter(({ partner_id }) => partner_id === id)
  if (linked.some((key) => stateOf(key) === 'active')) return IN_USE
  const now = instantOf(made)
  const deleted = { ...partner, deleted_at: now, updated_at: now, version: nextVersion(state) }
  const next = withVersion(withRecord(state, 'partners', id, deleted), 1)
  return written(200, next, (later) => at(later, id).data)
}
