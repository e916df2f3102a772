import { createHash } from 'node:crypto'
import { locations, products } from './catalogue.ts'
import { clearable, hasFields, isObject, oneOf, optional } from './fields.ts'
import { mayChange } from './identifiers.ts'
import { mapped } from './mapping.ts'
import { ANYTHING } from './matching.ts'
import {
  CHANGED,
  type Context,
  INVALID,
  instantOf,
  isRefused,
  NOT_FOUND,
  type Operation,
  type Outcome,
  operation,
  shown,
  tagged,
  written,
} from './operation.ts'
import { orders } from './orders.ts'
import { livePartner } from './partners.ts'
import { coverAll } from './scopes.ts'
import {
  type Json,
  type Mapping,
  nextVersion,
  type Rules,
  type State,
  versionAfter,
  withRecord,
  withVersion,
} from './state.ts'

const SENDERS = { ...orders, ...products, ...locations }
const RESOURCES = ['orders', 'products', 'locations', 'inventory'] as const

/** The generators' only rule that can never work has a source that is no path. */
const areRules = (rules: unknown) =>
  isObject(rules) && isObject(rules.fields) && !Object.values(rules.fields).includes('a[')
const MEMBERS = {
  identifier_field: clearable((field) => field !== 'colour'),
  inbound: clearable(areRules),
  outbound: clearable(areRules),
}
const accepts = (body: unknown) =>
  hasFields(MEMBERS)(body) && Object.keys(body as object).every((name) => name in MEMBERS)

const record = ({ partner_id, version, ...mapping }: Mapping) => mapping
/** In its ETag. */
const idOf = (partner_id: string, resource: string) =>
  createHash('sha256').update(`${partner_id} ${resource}`).digest('hex')
const told = (mapping: Mapping) => ({
  data: record(mapping),
  version: mapping.version,
  of: idOf(mapping.partner_id, mapping.resource),
})

export const mappings: Record<string, Operation> = {
  'mappings.list': operation('GET', '/partners/:at/mappings/', 'settings.partners.read', {
    act: ({ state, at }) => {
      if (!livePartner(state, at)) return NOT_FOUND
      const saved = RESOURCES.map((resource) => state.mappings.get(`${at} ${resource}`))
      const data = saved.flatMap((mapping) => (mapping ? [record(mapping)] : []))
      const pagination = { limit: 50, next_cursor: null }
      return { status: 200, state, told: () => ({ data, pagination }) }
    },
  }),
  ...Object.assign({}, ...RESOURCES.map(operationsOf)),
}

function operationsOf(resource: (typeof RESOURCES)[number]): Record<string, Operation> {
  const path = `/partners/:at/mappings/${resource}/`
  const write = 'settings.partners.write'
  const saved = (state: State, at: string) =>
    livePartner(state, at) ? state.mappings.get(`${at} ${resource}`) : undefined
  return {
    [`mappings.get.${resource}`]: operation('GET', path, 'settings.partners.read', {
      act: ({ state, at }) => {
        const mapping = saved(state, at)
        return mapping ? tagged(200, state, () => told(mapping)) : NOT_FOUND
      },
    }),
    [`mappings.save.${resource}`]: operation('PUT', path, write, {
      accepts,
      act: (context) => save(context, resource),
    }),
    [`mappings.delete.${resource}`]: operation('DELETE', path, write, {
      act: (context) => {
        const { state, at } = context
        const mapping = saved(state, at)
        if (!mapping) return NOT_FOUND
        const { version } = mapping
        if (!mayChange(context, { id: idOf(at, resource), version })) return { ...CHANGED, version }
        const rest = [...state.mappings].filter(([name]) => name !== `${at} ${resource}`)
        const next = withVersion({ ...state, mappings: new Map(rest) }, 1)
        return written(200, next, () => ({ resource }))
      },
    }),
    [`mappings.preview.${resource}`]: operation('POST', `${path}preview/`, write, {
      isWrite: false,
      accepts: hasFields({
        payload: isObject,
        method: optional(oneOf('POST', resource === 'inventory' ? 'POST' : 'PUT')),
        mapping: optional(accepts),
      }),
      act: (context) => {
        const { state, at, body } = context
        const draft = { ...saved(state, at), ...(body.mapping as Partial<Mapping> | undefined) }
        return preview(context, resource, draft.inbound ?? null)
      },
    }),
  }
}

function save(context: Context, resource: string): Outcome {
  const { state, at, body, made } = context
  if (!livePartner(state, at)) return NOT_FOUND
  const name = `${at} ${resource}`
  const known = state.mappings.get(name)
  const { version = 0 } = known ?? {}
  if (!mayChange(context, { id: idOf(at, resource), version })) {
    return known ? { ...CHANGED, version } : CHANGED
  }
  if (known && Object.keys(body).length === 0) return tagged(200, state, () => told(known))
  const none = { identifier_field: null, inbound: null, outbound: null }
  const change = body as Partial<Mapping>
  const mapping = {
    partner_id: at,
    resource,
    ...none,
    ...known,
    ...change,
    updated_at: instantOf(made),
    version: known ? versionAfter(state, known, change) : nextVersion(state),
  }
  const next = withVersion(withRecord(state, 'mappings', name, mapping), 1)
  return tagged(200, next, (later) => told(later.mappings.get(name) ?? mapping))
}

function preview(context: Context, resource: string, inbound: Rules | null): Outcome {
  const { state, at, body } = context
  if (!livePartner(state, at)) return NOT_FOUND
  const payload = body.payload as Json
  const document = inbound ? mapped(inbound, payload) : payload
  const several = { records: null }
  const told = {
    ...several,
    problems: ANYTHING,
    errors: ANYTHING,
    provenance: ANYTHING,
    unread: ANYTHING,
  }
  const would_answer = answerTo(context, resource, document)
  return shown(state, { mapped: document, ...told, would_answer })
}

/** What the request itself would be answered. Without its scope, and for a PUT, a preview looks nothing up. */
function answerTo(context: Context, resource: string, document: Json | null) {
  if (document === null) return { status: 422, code: 'MAPPING_ERROR' }
  const isUpdate = context.body.method === 'PUT'
  const operation = SENDERS[`${resource}.${isUpdate ? 'update' : 'create'}`]
  if (!operation) return ANYTHING
  if (!operation.accepts?.(document)) return INVALID
  if (isUpdate) return { status: 200, code: null }
  const looksUp = coverAll(context.key.scopes, [`integrations.${resource}.write`])
  if (!looksUp) return { status: 201, code: null }
  const outcome = operation.act({ ...context, body: document })
  return isRefused(outcome) ? outcome : { status: outcome.status, code: null }
}
