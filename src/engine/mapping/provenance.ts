import type { WorkMeter } from '../json/filter/evaluate.ts'
import { Filter } from '../json/filter/filter.ts'
import { isObject, type JsonObject, memberOf } from '../json/json-object.ts'
import { EACH, MEMBER_NAME, type Path, pathIn, printPath } from '../json/path.ts'
import { SENT_ALONE, SentValue, type SentWith } from '../json/sent-with.ts'
import { amountPaths } from './amount.ts'
import type { CompiledRules } from './compile.ts'
import { concretePath, firstTaken, printPlace } from './concrete.ts'
import { convertedText } from './convert.ts'
import { forEachElement, levelsOf } from './each.ts'
import { membersAsList } from './list.ts'
import { type JoinedPart, pathsRead } from './members.ts'
import type { NoValues } from './no-values.ts'
import { pairText } from './pair.ts'
import type { RecordView } from './record-view.ts'
import { unfiltered } from './records.ts'
import { givesValue, hasValue, isOfList, partOfText } from './rule-reader.ts'
import { isList, listsOf, type MappingRule, wildcardsOf } from './rules.ts'
import { isRepeatedPart, type LeftOut, listsFilters, MappingRun, WORK_MAX } from './run.ts'
import { pathPrefix, Slots } from './streams.ts'
import { childAt, drives, type Node } from './tree.ts'

interface Source {
  path: Path
  /** For a fixed value: `path` is a path in this object instead of the payload. */
  fixed?: JsonObject
  /** The rule that reads the path; without one, the path leads to an array or its elements. */
  rule?: MappingRule
  /** The steps of the target that go on below `path`. */
  rest: Path
  /** Of a rule: the indexes of the target's elements at hand. */
  positions?: Positions
  /** Of a rule with steps: it finds a value, which its default would stand in for. */
  isGiven?: boolean
  /** The payload has an array to drive each array that the target lies in. */
  isDriven: boolean
}

/** Of several paths, the one that is read, and what is there. */
interface Read {
  path: Path
  value: unknown
}

/** Indexes of the target's elements, one for each wildcard; undefined where the target has none. */
type Positions = readonly (number | undefined)[]

/** From paths of the mapped document to those of the payload that fill them. */
export class Provenance {
  readonly #rules: CompiledRules
  readonly #payload: unknown
  readonly #sent: SentWith
  /** By `each`: the indexes in its source arrays, for each element of the target. */
  readonly #elements = new Map<MappingRule, number[][]>()
  /** By `each` that splits texts: the part that each element of the target is. */
  readonly #parts = new Map<MappingRule, unknown[]>()
  /** By array and filter: the index of the element that the filter picks. */
  readonly #picked = new Map<unknown[], Map<Filter, number | undefined>>()
  /** By part of a joined text that is the same for all elements: the texts that it leads to. */
  readonly #repeated = new Map<Path, string[]>()
  readonly #meter: WorkMeter = { work: 0, workMax: WORK_MAX }
  readonly #record: RecordView | null
  readonly #leftOut: LeftOut

  /** Of one record of several, `payload` is its view. */
  constructor(
    rules: CompiledRules,
    payload: unknown,
    sent: SentWith = SENT_ALONE,
    leftOut: LeftOut = new Map(),
    record: RecordView | null = null,
  ) {
    this.#rules = rules
    this.#payload = payload
    this.#sent = sent
    this.#leftOut = leftOut
    this.#record = record
  }

  /**
   * The payload's path that fills this path of the mapped document: where the value is or, if it is missing,
   * where it should be; for a joined text all paths, with commas. Null for a fixed value, and for an object
   * that several rules fill. Null, too, once the questions together have taken more steps than a mapping may.
   */
  sourceOfPath(target: Path): string | null {
    if (this.#meter.work > this.#meter.workMax) return null
    const { root, consumed, unmapped } = this.#rules
    const [top] = target
    if (typeof top === 'string' && !root.names.has(top)) {
      return unmapped === 'keep' && !consumed.has(top) ? printPath(target) : null
    }
    const { given, driven } = this.#sourcesAt(root, target)
    const writer = given.find((source) => source.isDriven && this.#isWritten(source, []))
    const hasWritten = writer && this.#isWritten(writer, writer.rest)
    const array = driven.find(({ path }) => this.#isArrayThere(path)) ?? driven[0]
    const source = hasWritten ? writer : (array ?? given[0])
    return source && !source.fixed ? this.#print(source) : null
  }

  /** As `sourceOfPath`, for a target as text; null if the text is not a path. */
  sourceOfField(field: string): string | null {
    const target = pathIn(field)
    return target && this.sourceOfPath(target)
  }

  #print({ path, rule, rest, positions, isGiven }: Source): string | null {
    if (rule?.steps && rule.steps.fallback !== undefined && !isGiven) return null
    if (rule) this.#record?.turnFor(rule)
    const read =
      rule?.origin.kind === 'join'
        ? pathsRead(rule.origin).map((part) => this.#concrete(rule, part, positions ?? []))
        : [[...path, ...rest]]
    const changing = amountPaths(rule?.steps?.amount).map((part) =>
      this.#concreteListed(rule as MappingRule, part, positions ?? []),
    )
    const print = (place: Path) => this.#record?.print(place) ?? printPath(place)
    return [...read, ...changing].map((place) => printPlace(place, print)).join(', ')
  }

  /** Whether the rule finds a value for the element at hand, so that its default is not written. */
  #isGiven(rule: MappingRule, { value }: Read, positions: Positions): boolean {
    const { origin, steps } = rule
    if (!steps) return true
    if (origin.kind !== 'join') {
      return isOfList(rule, value, this.#meter) && givesValue(value, steps, this.#meter)
    }
    const texts = origin.parts.map((part) =>
      'text' in part ? [part.text] : this.#texts(rule, part, positions),
    )
    const hasText = origin.parts.some((part, at) => 'path' in part && texts[at]?.length)
    const all = texts.flat().filter((one) => one !== '')
    const text = all.join(origin.separator)
    this.#meter.work += all.length + (text.length >> 4)
    return hasText && givesValue(text, steps, this.#meter)
  }

  /** The texts that a part of a joined text leads to. */
  #texts(rule: MappingRule, part: PathPart, positions: Positions): string[] {
    const { path, label } = part
    const [first] = path
    if (first instanceof SentValue) return [first.in(this.#sent) ?? '']
    const way = label ? listsOf(path) : path
    const leaf = label && pairLeaf(part, rule, this.#meter)
    const ofText = this.#partAt(rule, path, positions)
    if (ofText !== undefined) return rule.none?.has(ofText) ? [] : textOfLeaf(ofText)
    const textsAtPlace = (place: Path) => textsAt(this.#payload, place, rule, this.#meter, leaf)
    if (!isRepeatedPart(rule, path)) return textsAtPlace(this.#concrete(rule, way, positions))
    return this.#repeated.getOrInsertComputed(path, () => textsAtPlace(way))
  }

  #isWritten({ path, fixed, rule, isGiven }: Source, rest: Path): boolean {
    if (rule) this.#record?.turnFor(rule)
    if (rule?.steps) return rule.steps.fallback !== undefined || isGiven === true
    if (fixed) return valueAt(fixed, [...path, ...rest]) !== undefined
    const isThere = this.#valueAt(path, rule) !== undefined
    return isThere && this.#valueAt([...path, ...rest]) !== undefined
  }

  /**
   * Everything that may have filled the target. `given`: rules that write the target or something around it,
   * the longest target first. `driven`: the payload's arrays whose elements become elements of the target.
   */
  #sourcesAt(root: Node, target: Path) {
    const given: Source[] = []
    const driven: Source[] = []
    const positions: (number | undefined)[] = []
    let isDriven = true
    let node: Node | undefined = root
    for (const [at, step] of target.entries()) {
      const isElement: boolean = node.each !== null
      if (isElement) {
        isDriven &&= this.#drivers(node, false, positions).some((path) => this.#isArrayThere(path))
        positions.push(typeof step === 'number' ? step : undefined)
      }
      node = childAt(node, step)
      if (!node) break
      const rest = target.slice(at + 1)
      const { rule } = node
      if (rule?.source && !isFilledEach(rule)) {
        const read = this.#read(rule, positions)
        const isGiven = this.#isGiven(rule, read, positions)
        given.unshift({ path: read.path, rule, rest, positions: [...positions], isDriven, isGiven })
      } else if (rule && !rule.source) {
        given.unshift({ path: ['value'], fixed: { value: rule.value }, rest, isDriven })
      } else if (rest.length === 0) {
        const paths = this.#drivers(node, isElement, positions)
        driven.push(...paths.map((path) => ({ path, rest, isDriven })))
      }
    }
    return { given, driven }
  }

  /** Of several paths, the first that has a value. */
  #read(rule: MappingRule, positions: Positions): Read {
    const paths = rule.origin.kind === 'from' ? rule.origin.paths : [rule.source ?? []]
    const read = paths.map((path): Read => {
      const concrete = this.#concrete(rule, path, positions)
      const part = this.#partAt(rule, path, positions)
      if (part === undefined) return { path: concrete, value: this.#valueAt(concrete, rule) }
      return { path: concrete, value: rule.none?.has(part) ? undefined : part }
    })
    const { steps } = rule
    const first = steps
      ? read.find((one) => {
          const value = partOfText(one.value, steps, this.#meter)
          return hasValue(value, steps, this.#meter) && isOfList(rule, value, this.#meter)
        })
      : undefined
    return first ?? read[0] ?? { path: [], value: undefined }
  }

  /** The part of a text that the path of a rule leads to; undefined if it leads to something else. */
  #partAt(rule: MappingRule, path: Path, positions: Positions): unknown {
    const each = eachOf(this.#rules.root, rule)
    const [index] = positions
    if (each?.origin.kind !== 'each' || each.origin.split === null || each === rule)
      return undefined
    if (index === undefined || printPath(path) !== printPath(unfiltered(each.origin.path)))
      return undefined
    this.#elementsOf(each)
    return this.#parts.get(each)?.[index]
  }

  #concrete(rule: MappingRule, path: Path, positions: Positions): Path {
    this.#record?.turnFor(rule)
    const indexes = isRepeatedPart(rule, path) ? [] : this.#indexes(rule, positions)
    const pick = (filter: Filter, array: unknown[]) => this.#pick(filter, array)
    const { listsSingles } = rule
    return concretePath(path, indexes, this.#payload, {
      lists: listsFilters(rule),
      listsSingles,
      pick,
    })
  }

  #concreteListed(rule: MappingRule, path: Path, positions: Positions): Path {
    const indexes = path.includes(EACH) ? this.#indexes(rule, positions) : []
    const { listsSingles } = rule
    return concretePath(path, indexes, this.#payload, { lists: true, listsSingles })
  }

  /** Looks through an array once, however many values a filter on it gives. */
  #pick(filter: Filter, array: unknown[]): number | undefined {
    const byFilter = this.#picked.getOrInsertComputed(array, () => new Map())
    return byFilter.getOrInsertComputed(filter, () => firstTaken(filter, array, this.#meter))
  }

  /** Below an `each`, the element of the target says where its source arrays are. */
  #indexes(rule: MappingRule, positions: Positions): Positions {
    const each = eachOf(this.#rules.root, rule)
    const [index] = positions
    if (!each) return positions
    return index === undefined ? [] : (this.#elementsOf(each)[index] ?? [])
  }

  #elementsOf(each: MappingRule): number[][] {
    const known = this.#elements.get(each)
    if (known) return known
    const found: number[][] = []
    const run = new MappingRun(this.#payload)
    const leftOut = this.#leftOut.get(each)
    const levels = levelsOf(each, [each], new Slots())
    const last = levels.at(-1)
    const parts: unknown[] = []
    let index = 0
    forEachElement(run, each, levels, () => {
      if (leftOut?.has(index++)) return true
      found.push([...run.eachPositions])
      if (last && last.split !== null) parts.push(run.elements[last.slot])
      return true
    })
    this.#elements.set(each, found)
    this.#parts.set(each, parts)
    return found
  }

  /** The payload's arrays that drive an array of the target; for an element, the elements that drive it. */
  #drivers(node: Node, isElement: boolean, positions: Positions): Path[] {
    const { target, each } = node
    if (!each && !isElement) return []
    const level = wildcardsOf(target)
    return (each ?? node).rules.filter(drives).map((rule) => {
      const path = rule.source ?? []
      const isEach = rule.origin.kind === 'each'
      const array = isEach ? path.slice(0, path.findIndex(isList)) : pathPrefix(path, level)
      const element: Path = isEach ? path : [...pathPrefix(path, level - 1), EACH]
      return this.#concrete(rule, each ? array : element, positions)
    })
  }

  /** The text of a header is all that it has. */
  #valueAt(path: Path, rule?: MappingRule): unknown {
    const [first] = path
    const none = rule?.none ?? null
    if (!(first instanceof SentValue)) return valueAt(this.#payload, path, none)
    const sent = path.length === 1 ? first.in(this.#sent) : undefined
    return none?.has(sent) ? undefined : sent
  }

  #isArrayThere(path: Path): boolean {
    return (valueAt(this.#payload, path) ?? null) !== null
  }
}

function isFilledEach({ origin }: MappingRule): boolean {
  return origin.kind === 'each' && origin.isFilled
}

/** The `each` whose elements the rule fills, or that it is. */
function eachOf(root: Node, rule: MappingRule): MappingRule | undefined {
  if (rule.origin.kind === 'each') return rule
  if (!rule.within) return undefined
  return root.rules.find(({ origin, source }) => origin.kind === 'each' && source === rule.within)
}

type PathPart = Extract<JoinedPart, { path: Path }>

/** The text of a pair whose element this is. */
function pairLeaf({ path, label }: PathPart, rule: MappingRule, meter: WorkMeter) {
  const { length } = listsOf(path)
  return (element: unknown): string[] => {
    const [text] = textsAt(element, path.slice(length), rule, meter)
    const [before] = label ? textsAt(element, label.path.slice(length), rule, meter) : []
    return text === undefined ? [] : [pairText(before, text, label?.separator ?? '')]
  }
}

/** The texts of all values that the path of a joined part leads to. */
function textsAt(
  value: unknown,
  [step, ...rest]: Path,
  rule: Pick<MappingRule, 'none' | 'listsSingles'>,
  meter: WorkMeter,
  leaf = textOfLeaf,
): string[] {
  if (rule.none?.has(value)) return []
  if (step === undefined) return leaf(value)
  if (!isList(step)) return textsAt(memberOf(value, step), rest, rule, meter, leaf)
  const list = listIn(rule, value)
  meter.work += list.length
  if (rest[0] === MEMBER_NAME) return isObject(value) ? Object.keys(value) : []
  const isTaken = (element: unknown) => !(step instanceof Filter) || step.test(element, meter)
  return list.flatMap((element) =>
    isTaken(element) ? textsAt(element, rest, rule, meter, leaf) : [],
  )
}

/** Which of its lists the rule takes is checked where it is read. */
function listIn({ listsSingles }: Pick<MappingRule, 'listsSingles'>, value: unknown): unknown[] {
  if (Array.isArray(value)) return value
  if (listsSingles) return value === undefined || value === null || value === '' ? [] : [value]
  return isObject(value) ? membersAsList(value).values : []
}

function textOfLeaf(value: unknown): string[] {
  return [convertedText(value) ?? ''].filter((text) => text !== '')
}

function valueAt(document: unknown, path: Path, none: NoValues | null = null): unknown {
  const found = path.reduce<unknown>((value, step, at) => {
    if (step === MEMBER_NAME) return typeof path[at - 1] === 'string' ? path[at - 1] : undefined
    return none?.has(value) ? undefined : memberOf(value, step)
  }, document)
  return none?.has(found) ? undefined : found
}
