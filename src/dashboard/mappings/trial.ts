import { ApiError, type FieldErrors } from '../../errors.ts'
import { isObject } from '../../fields.ts'
import type { Resource } from '../../mapping/identifier.ts'
import { check } from '../../middleware/validate.ts'
import { BODIES } from '../../resources/bodies.ts'
import { preview } from '../../settings/mappings/preview.ts'
import { SaveMapping } from '../../settings/mappings/schema.ts'
import type { Form } from '../form.ts'
import { type Draft, draftOfForm } from './draft.ts'
import { readJson } from './json.ts'
import { mappingOf } from './mapping.ts'

/** The document that a mapping is tried on, as its form has it. */
export interface Sample {
  method: string
  document: string
}

export type Trial =
  | { state: 'none' }
  /** There is no such document. */
  | { state: 'unreadable'; fault: string }
  /** There is no such mapping. */
  | { state: 'faulty'; faults: FieldErrors }
  | ({ state: 'tried' } & ReturnType<typeof preview>)

export function methodsOf(resource: Resource): string[] {
  return Object.keys(BODIES[resource])
}

export function sampleOf(form: Form): Sample {
  return { method: form.text('method'), document: form.raw('document') }
}

/** What would become of the document by the mapping as it stands in the form, saved or not. */
export function tryOut(resource: Resource, form: Form): Trial {
  const { method, document } = sampleOf(form)
  if (document.trim() === '') return { state: 'none' }
  const json = readJson(document)
  if ('fault' in json) return { state: 'unreadable', fault: `It is ${json.fault}.` }
  const { value: payload } = json
  if (!isObject(payload)) return { state: 'unreadable', fault: 'It must be a JSON object.' }
  const mapping = checked(resource, draftOfForm(form))
  if ('faults' in mapping) return { state: 'faulty', faults: mapping.faults }
  const known = methodsOf(resource).includes(method) ? method : 'POST'
  return { state: 'tried', ...preview(resource, known, mapping.inbound, payload) }
}

function checked(resource: Resource, draft: Draft) {
  try {
    return check(SaveMapping(resource), mappingOf(draft, { isUnfinished: true }))
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return { faults: error.details.fields ?? {} }
  }
}
