import { byteLength } from '../../src/engine/json/fields.ts'
import type { Resource } from '../../src/engine/mapping/identifier.ts'
import { mapDocument, type PartnerDocument } from '../../src/engine/mapping/inbound.ts'
import type { SavedRule, SavedRules } from '../../src/engine/mapping/saved-rule.ts'
import { SaveMapping } from '../../src/settings/mappings/schema.ts'
import type { Json } from '../tenant.ts'

export type Fields = Record<string, SavedRule>

export interface Options {
  unmapped?: SavedRules['unmapped']
  method?: 'POST' | 'PUT'
  resource?: Resource
}

export function map(fields: Fields, payload: Json, options: Options = {}) {
  const { unmapped = 'keep', method = 'POST', resource = 'orders' } = options
  return mapDocument(resource, { unmapped, fields }, sent(payload, method))
}

/** The document as the body of a request. */
export function sent(payload: Json, method: string): PartnerDocument {
  return { method, payload, bytes: byteLength(JSON.stringify(payload)) }
}

/** The mapped document, or the problems if there are any. */
export function outcome(fields: Fields, payload: Json, options?: Options): Json {
  const { value, problems } = map(fields, payload, options)
  return problems.length > 0 ? asJson(problems) : value
}

/** The value as JSON has it, without undefined members. */
export function asJson(value: unknown): Json {
  return JSON.parse(JSON.stringify(value))
}

export const fixed = (value: Json) => ({ value })
export const required = (from: string) => ({ from, required: true })

export const missing = (rule: string, at: string) => ({
  reason: 'SOURCE_MISSING',
  rule,
  at,
  expected: 'value',
  found: 'nothing',
})

export const mismatch = (rule: string, at: string, expected: string, found: string) => ({
  reason: 'TYPE_MISMATCH',
  rule,
  at,
  expected,
  found,
})

/** Path and message of every fault that a mapping has when it is saved. */
export function refusals(resource: Resource, mapping: unknown): [place: string[], words: string][] {
  const { error } = SaveMapping(resource).safeParse(mapping)
  return (error?.issues ?? []).map(({ path, message }) => [path.map(String), message])
}

/** The names of the refused inbound rules; fails if anything else is refused. */
export function refusedRules(resource: Resource, fields: unknown): string[] {
  return refusals(resource, { inbound: { fields } }).map(([[direction, member, ...rule]]) => {
    if (direction !== 'inbound' || member !== 'fields') throw new Error(`refused: ${direction}`)
    return rule.join('.')
  })
}
