import {
  clearable,
  given,
  hasFields,
  isFlag,
  isName,
  isObject,
  isText,
  optional,
} from './fields.ts'
import { activeFilters, matchesActive } from './filters.ts'
import { found } from './identifiers.ts'
import {
  type Context,
  DUPLICATE,
  filteredPage,
  instantOf,
  isRefused,
  type Operation,
  tagged,
  written,
} from './operation.ts'
import { replacedBy } from './replaced.ts'
import { changed, type Location, type State, withRecord } from './state.ts'

const CREATED = ['name', 'zone', 'aisle', 'metadata']
const UPDATED = [...CREATED, 'is_active']
const checks = {
  name: clearable(isText),
  zone: clearable(isText),
  aisle: clearable(isText),
  metadata: clearable(isObject),
}

const record = ({ created_at, updated_at, version, ...record }: Location) => record
const taggedRecord = (one: Location) => ({ data: record(one), version: one.version })
const summary = ({ code, name, zone, aisle, is_active }: Location) => ({
  code,
  name,
  zone,
  aisle,
  is_active,
})
const at = (state: State, code: string) => state.locations.get(code) as Location

export const locations: Record<string, Operation> = {
  'locations.create': {
    method: 'POST',
    path: '/locations/',
    scope: 'integrations.locations.write',
    maps: 'locations',
    isWrite: true,
    accepts: hasFields({ code: isName, ...checks }),
    act: create,
  },
  'locations.list': {
    method: 'GET',
    path: '/locations/',
    scope: 'integrations.locations.read',
    maps: 'locations',
    isWrite: false,
    act: (context) =>
      filteredPage(
        activeFilters(context.query),
        context,
        context.state.locations,
        'locations',
        summary,
        (one) => matchesActive(context.query, one),
      ),
  },
  'locations.get': {
    method: 'GET',
    path: '/locations/:at/',
    scope: 'integrations.locations.read',
    maps: 'locations',
    isWrite: false,
    act: (context) => {
      const location = found(context, 'locations')
      return isRefused(location)
        ? location
        : tagged(200, context.state, () => taggedRecord(location))
    },
  },
  'locations.update': {
    method: 'PUT',
    path: '/locations/:at/',
    scope: 'integrations.locations.write',
    maps: 'locations',
    isWrite: true,
    accepts: hasFields({ ...checks, is_active: optional(isFlag) }),
    act: update,
  },
  'locations.deactivate': {
    method: 'DELETE',
    path: '/locations/:at/',
    scope: 'integrations.locations.delete',
    maps: 'locations',
    isWrite: true,
    act: deactivate,
  },
}

function create({ state, body, made }: Context) {
  const code = String(body.code)
  if (state.locations.has(code)) return DUPLICATE
  const now = instantOf(made)
  const location: Location = {
    name: null,
    zone: null,
    aisle: null,
    metadata: null,
    ...given(body, CREATED),
    is_active: true,
    id: made.id,
    code,
    created_at: now,
    updated_at: now,
    version: 1,
  }
  return tagged(201, withRecord(state, 'locations', code, location), (later) => ({
    data: { id: made.id, ...summary(at(later, code)) },
    version: at(later, code).version,
  }))
}

function update(context: Context) {
  const { state, body, made } = context
  const location = found(context, 'locations')
  if (isRefused(location)) return location
  const { code } = location
  const fields = given(body, UPDATED)
  const next = changed(location, fields, instantOf(made))
  const done = tagged(200, withRecord(state, 'locations', code, next), (later) =>
    taggedRecord(at(later, code)),
  )
  return { ...done, replaced: replacedBy('locations', code, location, next, UPDATED, fields) }
}

function deactivate(context: Context) {
  const { state, made } = context
  const location = found(context, 'locations')
  if (isRefused(location)) return location
  const { id, code } = location
  const inactive = changed(location, { is_active: false }, instantOf(made))
  const next = withRecord(state, 'locations', code, inactive)
  return written(200, next, (later) => ({ id, code, is_active: at(later, code).is_active }))
}
