import { memberOf } from '../../engine/json/json-object.ts'
import { type Path, readPath } from '../../engine/json/path.ts'

/** The document's value at a path; undefined if there is none, or the text is no path. */
export function valueAt(document: unknown, path: string): unknown {
  const steps = pathOf(path)
  return steps.length === 0 ? undefined : steps.reduce<unknown>(memberOf, document)
}

/** Empty for a text that is no path. */
export function pathOf(text: string): Path {
  try {
    return readPath(text)
  } catch {
    return []
  }
}
