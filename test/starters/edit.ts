import { readPath } from '../../src/engine/json/path.ts'
import type { Json } from '../fixtures/tenant.ts'

/** Places of the starter's own document, and what stands there instead. In a text, the places are parts of it. */
export type Edit = Record<string, Json>

/** A copy of the document with other values at these places, and with nothing at those of `without`. */
export function edited(document: Json, edit: Edit, without: string[] = []): Json {
  if (typeof document === 'string') return editedText(document, edit)
  const copy = structuredClone(document)
  for (const [place, value] of Object.entries(edit)) {
    const [parent, last] = parentAt(copy, place)
    parent[last] = value
  }
  // From the end, so that the elements of an array keep their places until it is their turn.
  for (const place of without.toReversed()) {
    const [parent, last] = parentAt(copy, place)
    if (Array.isArray(parent)) parent.splice(Number(last), 1)
    else delete parent[last]
  }
  return copy
}

function parentAt(document: Json, place: string): [parent: Json, last: string | number] {
  const steps = readPath(place) as (string | number)[]
  const parent = steps.slice(0, -1).reduce<Json>((inner, step) => inner[step], document)
  return [parent, steps.at(-1) ?? '']
}

function editedText(document: string, edit: Edit): string {
  return Object.entries(edit).reduce((text, [part, other]) => {
    if (!text.includes(part)) throw new Error(`the document has no ${part}`)
    return text.replaceAll(part, other)
  }, document)
}
