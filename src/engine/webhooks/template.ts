import { Filter } from '../json/filter/filter.ts'
import { isObject, memberOf } from '../json/json-object.ts'
import { EACH, type Path, PathError, parsePath } from '../json/path.ts'
import { pointerFault } from '../json/pointer.ts'

const PLACES = ['body', 'body_base64', 'timestamp', 'id', 'url'] as const
type Place = (typeof PLACES)[number]

/** A part of what is signed: a fixed text, a value of the delivery, or a value in its body. */
export type TemplatePart = { text: string } | { place: Place } | { path: Path }

/** Why a template cannot be read. The message is a sentence. */
export class TemplateError extends Error {}

const NAMES = PLACES.map((name) => `{${name}}`).join(', ')

/** The parts of a template such as `{timestamp}.{body}`. Throws TemplateError. */
export function readTemplate(template: string): TemplatePart[] {
  return template
    .split(/(\{[^{}]*\})/)
    .filter((part) => part !== '')
    .map(partOf)
}

/** Whether the template has this place. */
export function hasPlace(parts: TemplatePart[], place: Place): boolean {
  return parts.some((part) => 'place' in part && part.place === place)
}

/** Whether the template reads the body before the check. */
export function readsBody(parts: TemplatePart[]): boolean {
  return parts.some((part) => 'path' in part)
}

function partOf(part: string): TemplatePart {
  if (!/[{}]/.test(part)) return { text: part }
  const name = /^\{(.*)\}$/s.exec(part)?.[1]
  if (name === undefined) throw new TemplateError(`Has a brace without its pair in "${part}".`)
  const place = PLACES.find((known) => known === name)
  if (place) return { place }
  if (name.startsWith('$')) return { path: valuePath(name) }
  throw new TemplateError(
    `Does not know "${part}": write ${NAMES}, or {$.a.b} for a value of the body.`,
  )
}

/** The value at a path of names and indexes; undefined if there is none. */
export function memberAt(document: unknown, path: Path): unknown {
  return path.reduce<unknown>(memberOf, document)
}

/** A copy of the document with the value at the path; the same document if it cannot have such a place. */
export function withMember(document: unknown, [first, ...rest]: Path, value: unknown): unknown {
  if (first === undefined) return value
  if (typeof first === 'number' && Array.isArray(document)) {
    const element: unknown = document.at(first)
    return element === undefined ? document : document.with(first, withMember(element, rest, value))
  }
  if (typeof first !== 'string' || (document !== undefined && !isObject(document))) return document
  return { ...(document ?? {}), [first]: withMember(document?.[first], rest, value) }
}

/** A path that leads to one value of a body. Throws TemplateError. */
export function valuePath(text: string): Path {
  const path = pathOf(text)
  if (path.some((step) => step === EACH || step instanceof Filter)) {
    throw new TemplateError(
      `The path "${text}" may lead to several values: write names and indexes only.`,
    )
  }
  return path
}

/** Why such a path cannot be saved, as a sentence; null if it can. */
export function valuePathFault(text: string): string | null {
  const pointer = pointerFault(text)
  if (pointer) return `The path "${text}" ${pointer}`
  try {
    valuePath(text)
    return null
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error
    return error.message
  }
}

function pathOf(text: string): Path {
  try {
    return parsePath(text, { isSource: true })
  } catch (error) {
    if (!(error instanceof PathError)) throw error
    throw new TemplateError(`The path "${text}" ${error.message}.`)
  }
}
