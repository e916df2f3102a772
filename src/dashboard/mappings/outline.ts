import { isObject } from '../../engine/json/json-object.ts'
import { PATH_LENGTH_MAX } from '../../engine/json/path.ts'

const ELEMENTS_MAX = 20
const MEMBERS_MAX = 200
const TEXT_LENGTH_MAX = 100
const VALUES_MAX = 2000

/** The beginning of a document, from which paths can be offered: the first elements and members, and of texts a part. */
export function outlineOf(document: unknown): unknown {
  let values = 0
  const cut = (value: unknown): unknown => {
    values += 1
    if (values > VALUES_MAX) return null
    if (typeof value === 'string') return value.slice(0, TEXT_LENGTH_MAX).toWellFormed()
    if (Array.isArray(value)) return value.slice(0, ELEMENTS_MAX).map(cut)
    if (!isObject(value)) return value
    const named = Object.entries(value).filter(([name]) => name.length <= PATH_LENGTH_MAX)
    return Object.fromEntries(
      named.slice(0, MEMBERS_MAX).map(([name, member]) => [name, cut(member)]),
    )
  }
  return cut(document)
}
