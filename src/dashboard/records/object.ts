import { isObject, type JsonObject } from '../../engine/json/json-object.ts'

/** What a page shows of an object, in characters: its memory is bounded. */
export const JSON_LENGTH_MAX = 16_000
/** Roughly what the markup of a fact takes beside its texts, in characters. */
const FACT_LENGTH = 8

/** A member of an object as people read it: a text, or facts inside. */
export type ObjectFact = { name: string } & ({ text: string } | { inside: ObjectFact[] })

interface Left {
  characters: number
}

/** The object's members, as many as JSON_LENGTH_MAX allows. */
export function factsInside(object: JsonObject): { facts: ObjectFact[]; isCut: boolean } {
  const left = { characters: JSON_LENGTH_MAX }
  const facts = membersOf(Object.entries(object), left)
  return { facts, isCut: left.characters < 0 }
}

function membersOf(members: [string, unknown][], left: Left): ObjectFact[] {
  const facts: ObjectFact[] = []
  for (const [key, value] of members) {
    if (left.characters < 0) break
    const name = taken(nameOf(key), left)
    left.characters -= FACT_LENGTH
    facts.push({ name, ...contentOf(value, left) })
  }
  return facts
}

function contentOf(value: unknown, left: Left): { text: string } | { inside: ObjectFact[] } {
  if (isObject(value) && Object.keys(value).length > 0)
    return { inside: membersOf(Object.entries(value), left) }
  if (!Array.isArray(value) || value.length === 0) return { text: taken(textOf(value), left) }
  const isFlat = value.every((element) => typeof element !== 'object' || element === null)
  if (isFlat) return { text: taken(value.map(textOf).join(', '), left) }
  const numbered = value.map((element, at): [string, unknown] => [String(at + 1), element])
  return { inside: membersOf(numbered, left) }
}

function textOf(value: unknown): string {
  if (value === true) return 'yes'
  if (value === false) return 'no'
  return value === null || value === '' || typeof value === 'object' ? '—' : String(value)
}

const WORDS = /^[a-z][a-z\d]*(?:_[a-z\d]+)*$/

/** `shipping_address` as words. Other names may mean something to their sender as they are. */
function nameOf(key: string): string {
  if (!WORDS.test(key)) return key
  const words = key.replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

function taken(text: string, left: Left): string {
  const shown = text.slice(0, Math.max(left.characters, 0)).toWellFormed()
  left.characters -= text.length
  return shown
}
