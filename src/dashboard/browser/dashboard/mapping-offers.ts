import { EACH, type Path, printPath, readPath } from '../../../engine/json/path.ts'
import { plainName, rankOf } from './mapping-names.ts'
import type { SourcePath } from './mapping-sources.ts'

// What the server's own datetimes take without a conversion.
const ISO_DATE =
  /^\d{4}-\d\d-\d\d(?:[Tt ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?: ?(?:[Zz]|[+-]\d\d(?::?\d\d)?))?|[Zz])?$/
const OTHER_DATE = /^(?:\d{8}|\/Date\(.*\)\/|(?:[A-Za-z]{3}, *)?\d{1,2} +[A-Za-z]{3} +\d{4} .*)$/
const NO_DATE = /^(?:0000-|0001-)/
const INTEGER = /^[+-]?\d+(?:\.0+)?$/
const DECIMAL = /^[+-]?\d+(?:\.\d+)?$/
// With a decimal comma. A quantity of 1.200 is no fraction; 1.000 may be one piece, and the preview asks.
const GROUPED_INTEGER = /^[+-]?(?:\d{1,3}(?:\.\d{3})+(?:,0+)?|\d+,0+)$/
const COMMA_DECIMAL = /^[+-]?(?:\d{1,3}(?:\.\d{3})+|\d+),\d+$/
const COMMA_INTEGER = 'comma_integer'
const BOOLEANS = ['true', 'false', '0', '1']

/** A rule as far as offers depend on it. */
export interface OfferedRule {
  target: string
  kind: string
  source: string
}

/** A path that fits a field of ours, with the conversion that it needs. */
export interface Offer {
  target: string
  source: string
  as: string
  /** The `each` that the rule needs above it, because the path goes through more arrays than the target. */
  each: { target: string; source: string } | null
}

const OFFERS_MAX = 3
/** A path that is the same for all elements comes after all others. */
const REPEATED_WEIGHT = 100
const EACH_WEIGHT = 5
const DEPTH_WEIGHT = 0.1
// Arrays that are an order's lines rather than its discounts, shipments or refunds.
const LINES =
  /^(?:order|sales|invoice)?(?:lineitems?|items?|lines?|positions?|rows?|articles?|products?|entries|details)$/

/** The paths that fit a field of this kind, the best first. */
export function offersFor(
  target: string,
  kind: string,
  sources: Iterable<SourcePath>,
  rules: OfferedRule[],
): Offer[] {
  const place = pathOf(target)
  const field = place.findLast((step) => typeof step === 'string')
  if (field === undefined) return []
  const arrays = arraysFor(place, target, rules)
  const ranked = [...sources].flatMap((source) => {
    const rank = rankOf(field, source.path)
    const as = kind === 'object' ? asObject(source) : conversionFor(kind, source.values)
    const isScalar = kind === 'object' || source.values.length > 0
    const way = rank === null || as === null || !isScalar ? null : wayTo(place, source.path, arrays)
    return way
      ? [{ ...way, as: as ?? '', rank: way.rank + (rank ?? 0) + weightOf(source.path) }]
      : []
  })
  return ranked
    .sort((one, other) => one.rank - other.rank)
    .slice(0, OFFERS_MAX)
    .map(({ path, each, as }) => ({ target, source: printPath(path), as, each }))
}

function asObject({ isObject, values }: SourcePath): string | null {
  return isObject && values.length === 0 ? '' : null
}

function weightOf(path: Path): number {
  const array = path.slice(0, path.indexOf(EACH)).findLast((step) => typeof step === 'string')
  const isOther = path.includes(EACH) && array !== undefined && !LINES.test(plainName(array))
  return path.length * DEPTH_WEIGHT + (isOther ? 1 : 0)
}

/** The arrays that the target's own array is filled from already. */
interface Arrays {
  /** Of an `each`: the printed path to each of its arrays, outermost first. */
  each: string[] | null
  /** Of the other rules. */
  others: string[]
}

function arraysFor(place: Path, target: string, rules: OfferedRule[]): Arrays {
  const array = place.slice(0, place.lastIndexOf(EACH) + 1)
  const name = printPath(array)
  const beside = rules.filter((rule) => rule.source !== '' && rule.target !== target)
  const each = beside.find((rule) => rule.kind === 'each' && rule.target === name)
  const others = beside.filter(({ kind, target: other }) => {
    return (kind === 'path' || kind === 'required') && array.length > 0 && other.startsWith(name)
  })
  return {
    each: each ? arraysOf(pathOf(each.source)) : null,
    others: others.flatMap(({ source }) => arraysOf(pathOf(source)).slice(-1)),
  }
}

interface Way {
  path: Path
  each: Offer['each']
  rank: number
}

/** How a rule with this target can read the path; null if it cannot. */
function wayTo(place: Path, path: Path, { each, others }: Arrays): Way | null {
  const arrays = arraysOf(path)
  const wanted = arraysOf(place).length
  if (each) {
    const isWithin = arrays.length > 0 && arrays.every((array, level) => array === each[level])
    return isWithin ? { path, each: null, rank: 0 } : null
  }
  if (path[0] === EACH && arrays.length === wanted + 1) {
    return wayTo(place, [0, ...path.slice(1)], { each, others })
  }
  if (arrays.length === wanted) {
    const isSame = wanted === 0 || others.length === 0 || others.includes(arrays.at(-1) ?? '')
    return isSame ? { path, each: null, rank: 0 } : null
  }
  if (arrays.length === 0 && place.at(-1) === 'location_code') {
    return { path, each: null, rank: REPEATED_WEIGHT }
  }
  return wanted === 1 && arrays.length > 1 ? wayByEach(place, path, others, arrays) : null
}

function wayByEach(place: Path, path: Path, others: string[], arrays: string[]): Way | null {
  const source = arrays.at(-1) ?? ''
  const fits = others.every((other) => arrays.includes(other))
  const target = printPath(place.slice(0, place.indexOf(EACH) + 1))
  return fits ? { path, each: { target, source }, rank: EACH_WEIGHT } : null
}

/** The printed path to each array that the path goes through; a filter counts as a wildcard. */
function arraysOf(path: Path): string[] {
  const plain = path.map((step) => (typeof step === 'object' ? EACH : step))
  return plain.flatMap((step, at) => (step === EACH ? [printPath(plain.slice(0, at + 1))] : []))
}

/** Empty for a text that is no path, as one that is being written. */
function pathOf(text: string): Path {
  try {
    return readPath(text)
  } catch {
    return []
  }
}

/**
 * The conversion by which a field of this kind takes the values: empty for none, null if it cannot take
 * them.
 */
function conversionFor(kind: string, values: unknown[]): string | null {
  const needed = new Set(values.map((value) => conversionOf(kind, value)))
  needed.delete('')
  // Small numbers have no mark.
  if (needed.has(COMMA_INTEGER)) needed.delete('integer')
  const [conversion = '', other] = needed
  return other === undefined ? conversion : null
}

function conversionOf(kind: string, value: unknown): string | null {
  if (kind === 'any') return ''
  if (kind === 'object') return null
  if (kind === 'string' || kind === 'choice') return typeof value === 'string' ? '' : 'string'
  // An empty text is no value for a rule that converts.
  const text = String(value).trim()
  if (kind === 'datetime') return datetimeConversion(text, typeof value)
  if (text === '') return kind
  if (kind === 'integer' && INTEGER.test(text)) return own(typeof value === 'number', kind)
  if (kind === 'integer') return GROUPED_INTEGER.test(text) ? COMMA_INTEGER : null
  if (kind === 'decimal' && COMMA_DECIMAL.test(text)) return 'comma_decimal'
  if (kind === 'decimal') return DECIMAL.test(text) ? '' : null
  return BOOLEANS.includes(text) ? own(typeof value === 'boolean', kind) : null
}

function own(isOfKind: boolean, kind: string): string {
  return isOfKind ? '' : kind
}

function datetimeConversion(text: string, type: string): string | null {
  if (/^\d{9,10}$/.test(text)) return 'epoch_seconds'
  if (/^\d{12,13}$/.test(text)) return 'epoch_milliseconds'
  if (type !== 'string') return null
  if (text === '' || NO_DATE.test(text) || OTHER_DATE.test(text)) return 'datetime'
  return ISO_DATE.test(text) ? '' : null
}
