import { readPath } from '../../src/engine/json/path.ts'
import type { Json } from '../fixtures/tenant.ts'

/** Places of the starter's own document, and what stands there instead. In a text, the places are parts of it. */
export type Edit = Record<string, Json>

/** A copy of the document with other values at these places. */
export function edited(document: Json, edit: Edit): Json {
  if (typeof document === 'string') return editedText(document, edit)
  const copy = structuredClone(document)
  for (const [place, value] of Object.entries(edit)) {
    const steps = readPath(place) as (string | number)[]
    const last = steps.at(-1) ?? ''
    const parent = steps.slice(0, -1).reduce<Json>((inner, step) => inner[step], copy)
    parent[last] = value
  }
  return copy
}

function editedText(document: string, edit: Edit): string {
  return Object.entries(edit).reduce((text, [part, other]) => {
    if (!text.includes(part)) throw new Error(`the document has no ${part}`)
    return text.replaceAll(part, other)
  }, document)
}
