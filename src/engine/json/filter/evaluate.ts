import { decimalOf, ExactNumber, numberOf } from '../exact-number.ts'
import { isObject, memberOf } from '../json-object.ts'
import type { Comparable, Logical, Operator, SingularQuery } from './syntax.ts'

/** Counts the work of filters, so that a document cannot make them run for long. */
export interface WorkMeter {
  /**
   * Elements, the terms that test them, values compared, and characters: of texts that are looked at one by one 16 for
   * a step, of texts that are compared whole 256.
   */
  work: number
  readonly workMax: number
}

/** For what is bounded by other means, such as a document that has been mapped within its limits. */
export const UNLIMITED: WorkMeter = { work: 0, workMax: Number.POSITIVE_INFINITY }

/** Whether the filter takes an element. */
export type Test = (element: unknown, meter: WorkMeter) => boolean

type Read = (element: unknown, meter: WorkMeter) => unknown

/** The filter as a function, with the meaning of RFC 9535, 2.3.5.2. A missing value is undefined. */
export function compileFilter(filter: Logical): Test {
  if (filter.kind === 'exists') {
    const read = readerOf(filter.query)
    return (element) => read(element) !== undefined
  }
  if (filter.kind === 'not') {
    const test = compileFilter(filter.operand)
    return (element, meter) => !test(element, meter)
  }
  if (filter.kind === 'compare') return comparison(filter)
  const { kind } = filter
  return filter.operands.map(compileFilter).reduce(kind === 'and' ? both : either)
}

function both(one: Test, other: Test): Test {
  return (element, meter) => one(element, meter) && other(element, meter)
}

function either(one: Test, other: Test): Test {
  return (element, meter) => one(element, meter) || other(element, meter)
}

interface Comparison {
  operator: Operator
  left: Comparable
  right: Comparable
}

function comparison({ operator, left, right }: Comparison): Test {
  const [one, other] = [readComparable(left), readComparable(right)]
  const equal: Test = (element, meter) => isEqual(one(element, meter), other(element, meter), meter)
  const less: Test = (element, meter) => isLess(one(element, meter), other(element, meter), meter)
  const more: Test = (element, meter) => isLess(other(element, meter), one(element, meter), meter)
  const tests: Record<Operator, Test> = {
    '==': equal,
    '!=': (element, meter) => !equal(element, meter),
    '<': less,
    '>': more,
    '<=': (element, meter) => less(element, meter) || equal(element, meter),
    '>=': (element, meter) => more(element, meter) || equal(element, meter),
  }
  return tests[operator]
}

function readComparable(comparable: Comparable): Read {
  if (comparable.kind === 'literal') return () => comparable.value
  if (comparable.kind === 'query') return readerOf(comparable.query)
  const of = readComparable(comparable.of)
  return (element, meter) => lengthOf(of(element, meter), meter)
}

function readerOf(query: SingularQuery): (element: unknown) => unknown {
  const [first] = query
  // Most filters look at a member of the element.
  if (query.length === 1 && first !== undefined) return (element) => memberOf(element, first)
  return (element) => query.reduce<unknown>(memberOf, element)
}

/** RFC 9535, 2.4.4: of a text its code points, of an array its elements, of an object its members. */
function lengthOf(value: unknown, meter: WorkMeter): number | undefined {
  if (typeof value === 'string') {
    meter.work += value.length >> 4
    return codePoints(value)
  }
  if (Array.isArray(value)) return value.length
  if (!isObject(value)) return undefined
  const { length } = Object.keys(value)
  meter.work += length
  return length
}

function codePoints(text: string): number {
  let count = text.length
  for (let at = 0; at < text.length - 1; at++) {
    const isPair = (text.charCodeAt(at) & 0xfc00) === 0xd800
    if (isPair && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00) count -= 1
  }
  return count
}

function isEqual(one: unknown, other: unknown, meter: WorkMeter): boolean {
  meter.work += 1
  if (typeof one === 'string' && typeof other === 'string') return isSameText(one, other, meter)
  if (one === other) return true
  if (meter.work > meter.workMax) return false
  if (one instanceof ExactNumber || other instanceof ExactNumber) {
    return isSameNumber(one, other, meter)
  }
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((value, at) => isEqual(value, other[at], meter))
  }
  if (!isObject(one) || !isObject(other)) return false
  const names = Object.keys(one)
  // To find a member of a large object takes much longer than to go to the next element.
  meter.work += 8 * names.length
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && isEqual(one[name], other[name], meter))
  )
}

function isSameText(one: string, other: string, meter: WorkMeter): boolean {
  // Texts of different lengths are told apart without a look at them.
  if (one.length !== other.length) return false
  meter.work += one.length >> 8
  return one === other
}

function isSameNumber(one: unknown, other: unknown, meter: WorkMeter): boolean {
  if (numberOf(one) === undefined || numberOf(other) === undefined) return false
  const [left, right] = [digitsOf(one), digitsOf(other)]
  meter.work += (left.length + right.length) >> 4
  return decimalOf(left) === decimalOf(right)
}

function digitsOf(value: unknown): string {
  return value instanceof ExactNumber ? value.digits : String(value)
}

/** Only two numbers or two texts have an order. Texts are ordered by their code points. */
function isLess(one: unknown, other: unknown, meter: WorkMeter): boolean {
  if (typeof one === 'string' && typeof other === 'string') return isBefore(one, other, meter)
  const [left, right] = [numberOf(one), numberOf(other)]
  return left !== undefined && right !== undefined && left < right
}

function isBefore(one: string, other: string, meter: WorkMeter): boolean {
  const { length } = one.length < other.length ? one : other
  meter.work += length >> 4
  for (let at = 0; at < length; at++) {
    const [left, right] = [one.charCodeAt(at), other.charCodeAt(at)]
    if (left !== right) return rank(left) < rank(right)
  }
  return one.length < other.length
}

/** Surrogates stand for code points above all others. */
function rank(unit: number): number {
  return (unit & 0xf800) === 0xd800 ? unit + 0x10000 : unit
}
