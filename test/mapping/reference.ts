import { isObject, type JsonObject } from '../../src/engine/json/json-object.ts'
import { EACH, type Path, type PathStep, readPath } from '../../src/engine/json/path.ts'
import type { SavedRule, SavedRules } from '../../src/engine/mapping/saved-rule.ts'
import type { Json } from '../fixtures/tenant.ts'

// A naive interpreter of rules that are a path, {from, required} or {value}: what they have always meant.

interface Rule {
  target: Path
  source: Path | null
  value: Json
  required: boolean
}

/** The document cannot be mapped. */
class Unfit extends Error {}

/** What a POST makes of the payload; null if it cannot be mapped. */
export function mapNaively({ unmapped, fields }: SavedRules, payload: Json): Json {
  const rules = Object.entries(fields).map(([target, saved]) => ruleOf(target, saved))
  const written = new Set(rules.map(({ target }) => target[0]))
  const read = new Set(rules.map(({ source }) => source?.[0]))
  const unread = Object.entries(payload).filter(([name]) => !read.has(name))
  if (unmapped === 'reject' && unread.length > 0) return null
  const kept = unmapped === 'keep' ? unread.filter(([name]) => !written.has(name)) : []
  try {
    const made = [...written].map((name) => [
      name,
      build(rules, [name as PathStep], [], undefined, payload),
    ])
    return Object.fromEntries([...kept, ...made.filter(([, value]) => value !== undefined)])
  } catch (error) {
    if (error instanceof Unfit) return null
    throw error
  }
}

function ruleOf(target: string, saved: SavedRule): Rule {
  const rule = { target: readPath(target), source: null, value: undefined, required: false }
  if (typeof saved === 'string') return { ...rule, source: readPath(saved) }
  if ('value' in saved) return { ...rule, value: saved.value }
  if (!('from' in saved)) throw new Error('not an old rule')
  return { ...rule, source: readPath(String(saved.from)), required: saved.required === true }
}

const count = (path: Path) => path.filter((step) => step === EACH).length
const startsWith = (path: Path, start: Path) => start.every((step, at) => path[at] === step)

function build(all: Rule[], place: Path, indexes: number[], given: Json, payload: Json): Json {
  const rules = all.filter(({ target }) => startsWith(target, place))
  const own = rules.find(({ target }) => target.length === place.length)
  const written = own && read(own, indexes, payload)
  const base = written === undefined ? given : written
  const steps = [
    ...new Set(
      rules.filter((rule) => rule !== own).map(({ target }) => target[place.length] as PathStep),
    ),
  ]
  const child = (step: PathStep, of: Json, more: number[] = []) =>
    build(rules, [...place, step], [...indexes, ...more], of, payload)
  if (steps.length === 0) return base
  if (steps[0] === EACH) return buildElements(rules, place, indexes, base, payload, child)
  return typeof steps[0] === 'number'
    ? buildIndexes(steps as number[], base, child)
    : buildMembers(steps as string[], base, child)
}

type Child = (step: PathStep, of: Json, more?: number[]) => Json
const isLost = (base: Json) => base !== undefined && base !== null

function buildMembers(names: string[], base: Json, child: Child): Json {
  const object = isObject(base) ? base : undefined
  const made = names.map(
    (name) =>
      [
        name,
        child(name, object && Object.hasOwn(object, name) ? object[name] : undefined),
      ] as const,
  )
  const written = made.filter(([, value]) => value !== undefined)
  if (written.length === 0) return base
  if (isLost(base) && !object) throw new Unfit()
  const result: JsonObject = { ...object }
  for (const [name, value] of written) result[name] = value
  return result
}

function buildIndexes(indexes: number[], base: Json, child: Child): Json {
  const array = Array.isArray(base) ? base : undefined
  const values = [...indexes]
    .sort((one, other) => one - other)
    .map((index) => child(index, array?.[index]))
  const length = values.findLastIndex((value) => value !== undefined) + 1
  if (length === 0) return base
  if ((isLost(base) && !array) || values.slice(0, length).includes(undefined)) throw new Unfit()
  return [...values.slice(0, length), ...(array ?? []).slice(length)]
}

function buildElements(
  rules: Rule[],
  place: Path,
  indexes: number[],
  base: Json,
  payload: Json,
  child: Child,
): Json {
  const drivers = rules.filter(({ source, target }) => source && count(source) === count(target))
  const level = count(place)
  const arrays = drivers.map(({ source }) => arrayAt(source as Path, level, indexes, payload))
  const lengths = new Set(arrays.flatMap((array) => (array ? [array.length] : [])))
  if (lengths.size > 1) throw new Unfit()
  const [length] = lengths
  if (length === undefined) {
    const isMissing = (rule: Rule) =>
      drivers.includes(rule) || (read(rule, indexes, payload) ?? null) === null
    if (rules.some((rule) => rule.required && isMissing(rule))) throw new Unfit()
    return base
  }
  const same = Array.isArray(base) && base.length === length ? base : undefined
  if (isLost(base) && !same) throw new Unfit()
  const isObjects = rules.some(({ target }) => typeof target[place.length + 1] === 'string')
  const empty = isObjects ? {} : null
  return Array.from({ length }, (_, index) => {
    const element = child(EACH, same?.[index], [index])
    return element === undefined ? empty : element
  })
}

function arrayAt(
  source: Path,
  level: number,
  indexes: number[],
  payload: Json,
): Json[] | undefined {
  const wildcards = source.flatMap((step, at) => (step === EACH ? [at] : []))
  const found = follow(source.slice(0, wildcards[level]), indexes, payload)
  if ((found ?? null) === null) return undefined
  if (!Array.isArray(found)) throw new Unfit()
  return found
}

function read({ source, value, required }: Rule, indexes: number[], payload: Json): Json {
  if (!source) return value
  const found = follow(source, indexes, payload)
  if (required && (found ?? null) === null) throw new Unfit()
  return found
}

function follow(path: Path, indexes: number[], payload: Json): Json {
  const left = [...indexes]
  return path.reduce<Json>((value, step, at) => {
    const index = step === EACH ? left.shift() : step
    if ((value ?? null) === null) return undefined
    if (typeof index === 'string') {
      // PHP writes [] for an object without members.
      if (at > 0 && Array.isArray(value) && value.length === 0) return undefined
      if (!isObject(value)) throw new Unfit()
      return Object.hasOwn(value, index) ? value[index] : undefined
    }
    if (!Array.isArray(value)) throw new Unfit()
    return value.at(index as number)
  }, payload)
}
