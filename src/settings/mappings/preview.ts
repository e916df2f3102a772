import { fitsAsJson, isObject, type JsonObject } from '../../fields.ts'
import type { Resource } from '../../mapping/identifier.ts'
import { type MappedDocument, mapDocument } from '../../mapping/inbound.ts'
import type { SavedRules } from '../../mapping/rules.ts'
import { type Path, printPath } from '../../path.ts'
import { BODIES, bodyErrors } from '../../resources/bodies.ts'
import { sourced } from '../../source.ts'
import { unusedFields, type Warning } from '../../warnings.ts'

const LISTED_MAX = 1000
const MAPPED_BYTES_MAX = 10_485_760
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
  const { value, problems, sourceOf } = document
  if (problems.length > 0) {
    return { result: { mapped: null, problems, errors: [], provenance: {} }, warnings: [] }
  }
  const found = bodyErrors(resource, method, value)
  const errors = Object.entries(found.errors).map(([field, messages]) => ({
    field,
    messages,
    source: sourceOf(field),
  }))
  const { provenance, cut } = provenanceOf(document)
  const isShown = fitsAsJson(value, MAPPED_BYTES_MAX)
  return {
    result: {
      mapped: isShown ? value : null,
      problems,
      errors: errors.slice(0, LISTED_MAX),
      provenance,
    },
    warnings: [
      ...(isShown ? [] : [{ field: 'mapped', message: 'Not shown: it is larger than 10 MB.' }]),
      ...(Math.max(errors.length, found.failed) > LISTED_MAX
        ? [onlyFirst('errors', 'errors')]
        : []),
      ...cut,
      ...document.unread(),
      ...unusedOnes(resource, method, document),
    ],
  }
}

function onlyFirst(field: string, what: string): Warning {
  return { field, message: `Only the first ${LISTED_MAX} ${what} are listed.` }
}

function unusedOnes(resource: Resource, method: string, { value, sourceOf }: MappedDocument) {
  const schema = BODIES[resource][method]
  const unused = schema ? unusedFields(schema, value) : []
  return unused.map((warning) => sourced(warning, sourceOf))
}

function provenanceOf({ value, sourceOfPath }: MappedDocument) {
  const paths = leavesOf(value, [])
    .take(LISTED_MAX + 1)
    .toArray()
  const listed = paths.slice(0, LISTED_MAX)
  const entries = listed.map((path) => [printPath(path), sourceOfPath(path)] as const)
  const cut = paths.length > listed.length ? [onlyFirst('provenance', 'values')] : []
  return { provenance: Object.fromEntries(entries), cut }
}

/** The paths of all values that are not made of others. */
function* leavesOf(value: unknown, path: Path): Generator<Path, undefined> {
  const members = Array.isArray(value)
    ? value.entries()
    : isObject(value) && Object.entries(value).values()
  let isLeaf = true
  for (const [step, member] of members || []) {
    isLeaf = false
    yield* leavesOf(member, [...path, step])
  }
  if (isLeaf && path.length > 0) yield path
}
