import { isObject, type JsonObject } from '../../fields.ts'
import type { Resource } from '../../mapping/identifier.ts'
import { type MappedDocument, mapDocument } from '../../mapping/inbound.ts'
import { type Path, printPath } from '../../mapping/path.ts'
import type { SavedRules } from '../../mapping/rules.ts'
import { fieldErrors, messageOf } from '../../messages.ts'
import { BODIES } from '../../resources/bodies.ts'
import { unusedFields, type Warning } from '../../warnings.ts'

const PROVENANCE_MAX = 1000
const IDENTITY: SavedRules = { unmapped: 'keep', fields: {} }

/**
 * What would become of the document; nothing is written. `mapped` is null where the mapping fails,
 * for the reasons in `problems`. `errors` are the findings of the check that follows the mapping;
 * `provenance` gives the payload's path of each value, null for a fixed one.
 */
export function preview(
  resource: Resource,
  method: string,
  inbound: SavedRules | null,
  payload: JsonObject,
) {
  const document = mapDocument(resource, inbound ?? IDENTITY, payload, method)
  const { value, problems } = document
  if (problems.length > 0) {
    return { result: { mapped: null, problems, errors: [], provenance: {} }, warnings: [] }
  }
  const { errors, unusedOnes } = checkMapped(resource, method, document)
  const { provenance, cut } = provenanceOf(document)
  return {
    result: { mapped: value, problems, errors, provenance },
    warnings: [...document.unread(), ...unusedOnes, ...cut],
  }
}

function checkMapped(resource: Resource, method: string, { value, sourceOfField }: MappedDocument) {
  const schema = BODIES[resource][method]
  if (!schema) throw new Error(`${resource} takes no ${method}`)
  const found = schema.safeParse(value, { error: messageOf }).error?.issues ?? []
  const errors = Object.entries(fieldErrors(found)).map(([field, messages]) => ({
    field,
    messages,
    source: sourceOfField(field),
  }))
  const unusedOnes = unusedFields(schema, value).map((warning) => {
    const source = sourceOfField(warning.field)
    return source && source !== warning.field ? { ...warning, source } : warning
  })
  return { errors, unusedOnes }
}

function provenanceOf({ value, sourceOf }: MappedDocument) {
  const paths = leavesOf(value, [])
    .take(PROVENANCE_MAX + 1)
    .toArray()
  const listed = paths.slice(0, PROVENANCE_MAX)
  const message = `Only the first ${PROVENANCE_MAX} values are listed.`
  const cut: Warning[] = paths.length > listed.length ? [{ field: 'provenance', message }] : []
  const entries = listed.map((path) => [printPath(path), sourceOf(path)] as const)
  return { provenance: Object.fromEntries(entries), cut }
}

/** The paths of all values that are not made of others. */
function* leavesOf(value: unknown, path: Path): Generator<Path, undefined> {
  const below = Array.isArray(value)
    ? value.entries()
    : isObject(value) && Object.entries(value).values()
  let empty = true
  for (const [step, member] of below || []) {
    empty = false
    yield* leavesOf(member, [...path, step])
  }
  if (empty) yield path
}
