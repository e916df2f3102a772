import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import { ApiError, type FieldErrors } from '../../engine/errors.ts'
import { unusedFields } from '../../engine/json/warnings.ts'
import type { Resource } from '../../engine/mapping/identifier.ts'
import { changedMapping } from '../../engine/mapping/schema.ts'
import { check } from '../../middleware/validate.ts'
import { BODIES } from '../../records/bodies.ts'
import type { Previewed } from '../../settings/mappings/preview.ts'
import { previewAsked } from '../../settings/mappings/preview-asked.ts'
import { SaveMapping } from '../../settings/mappings/schema.ts'
import { readSentLines } from '../documents/sent-lines.ts'
import type { Form } from '../form/form.ts'
import type { MappingPlace } from '../paths.ts'
import { offeredLocations } from './booking.ts'
import { outlineOf, readSample } from './document-text.ts'
import type { Draft } from './draft.ts'
import { readFormats } from './format-lines.ts'
import { mappingOf } from './mapping.ts'
import { type Found, lacksLocation, placedFindings, type Remedies, remediesOf } from './remedies.ts'
import { draftSent, type Hint, type Remedy, remedied } from './remedy.ts'

/** The form's sample document, and the method that would send it. */
export interface Sample {
  method: string
  document: string
  /** Headers and parameters that come with it (../documents/sent-lines.ts). */
  sent: string
}

export type Trial =
  | { state: 'none' }
  /** The sample is not JSON. */
  | { state: 'unreadable'; fault: string }
  /** The mapping in the form is not valid. */
  | { state: 'faulty'; faults: FieldErrors }
  | ({
      state: 'tried'
      /** What was pasted, if it is no JSON, cut to what shows which paths it has. */
      outline: unknown
      remedies: Remedies
      /** The fields of the record that have no effect. */
      unused: string[]
    } & Previewed)

export function methodsOf(resource: Resource): string[] {
  return Object.keys(BODIES[resource])
}

export function sampleOf(form: Form): Sample {
  return { method: form.text('method'), document: form.raw('document'), sent: form.raw('sent') }
}

/** Applies the mapping in the form, saved or not, to the sample document. */
export async function tryOut(c: Context<AppEnv>, place: MappingPlace, form: Form): Promise<Trial> {
  return await tryDraft(c, place, draftSent(form), sampleOf(form))
}

/** Applies the mapping to the sample document. */
export async function tryDraft(
  c: Context<AppEnv>,
  { resource, partnerId }: MappingPlace,
  draft: Draft,
  { method, document, sent }: Sample,
): Promise<Trial> {
  if (document.trim() === '') return { state: 'none' }
  const options = readFormats(draft.inbound.formats)
  const formats = 'formats' in options ? options.formats : {}
  const read = await readSample(document, formats, c.get('db').pace)
  if ('fault' in read) return { state: 'unreadable', fault: `It is ${read.fault}.` }
  const { value: payload, listsSingles, isJson } = read
  const beside = readSentLines(sent)
  if ('fault' in beside) return { state: 'unreadable', fault: beside.fault }
  const mapping = checked(resource, draft)
  if ('faults' in mapping) return { state: 'faulty', faults: mapping.faults }
  const known = methodsOf(resource).includes(method) ? method : 'POST'
  const trial = { ...mapping, resource, method: known, payload, listsSingles, ...beside }
  const previewed = await previewAsked(c, trial, partnerId)
  const { records = [] } = previewed.result
  const found = [previewed.result, ...(records ?? [])].map((one) => {
    return { ...one, payload }
  })
  const remedies = await remediesFor(c, resource, draft, found)
  const schema = BODIES[resource][known]
  const unused = schema ? unusedFields(schema, previewed.result.mapped) : []
  return {
    state: 'tried',
    outline: isJson ? undefined : outlineOf(payload),
    remedies,
    unused: unused.map(({ field }) => field),
    ...previewed,
  }
}

/** Without those that would make the mapping one that cannot be saved. */
async function remediesFor(
  c: Context<AppEnv>,
  resource: Resource,
  draft: Draft,
  all: Found[],
): Promise<Remedies> {
  const findings = all.flatMap(placedFindings)
  const isUnplaced = findings.some(([finding, found]) => lacksLocation(finding, found))
  const offered = isUnplaced ? await offeredLocations(c) : null
  const remedies = remediesOf(resource, draft, all, offered)
  const isSound = (remedy: Remedy | Hint) =>
    !('cells' in remedy && 'faults' in checked(resource, remedied(draft, remedy.cells)))
  return new Map(Array.from(remedies, ([finding, found]) => [finding, found.filter(isSound)]))
}

/** The draft as a mapping, without rules that are not finished; or what is wrong with it. */
export function checked(resource: Resource, draft: Draft) {
  try {
    const change = check(SaveMapping(resource), mappingOf(draft, { isUnfinished: true }))
    return changedMapping(null, change)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return { faults: error.details.fields ?? {} }
  }
}
