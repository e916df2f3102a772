import { isObject, type JsonObject } from '../json/json-object.ts'
import { type Path, takesMembers } from '../json/path.ts'
import type { MappingRule } from './rules.ts'

/** The elements of an array, or the members of an object. */
export interface ValueList {
  values: unknown[]
  /** Null for an array. */
  names: readonly string[] | null
}

/**
 * The elements that a step which looks for a list finds in a value; undefined if it is none. A mapping may take a single
 * value as a list of one: XML does not tell the two apart. There an empty text is an element without content.
 */
export function listAt(
  { listsSingles }: Pick<MappingRule, 'listsSingles'>,
  path: Path,
  at: number,
  value: unknown,
): ValueList | undefined {
  if (Array.isArray(value)) return { values: value, names: null }
  if (value === undefined || value === null) return undefined
  if (listsSingles) return { values: value === '' ? [] : [value], names: null }
  return isObject(value) && takesMembers(path, at) ? membersAsList(value) : undefined
}

const known = new WeakMap<JsonObject, ValueList & { names: readonly string[] }>()

/** The members of an object as a list. Made once for each object. */
export function membersAsList(object: JsonObject): ValueList & { names: readonly string[] } {
  return known.getOrInsertComputed(object, listOf)
}

function listOf(object: JsonObject) {
  return { names: Object.keys(object), values: Object.values(object) }
}
