import { SaxesParser, type SaxesTag } from 'saxes'
import { EACH, type Path, type PathStep } from '../json/path.ts'
import type { Span, ValuePlace } from './text-place.ts'
import { ELEMENTS_DEEP_MAX } from './xml.ts'
import { localOf } from './xml-places.ts'

// Matches one attribute after the other. A search without the flag y would try each character of a long name.
const ATTRIBUTE = /\s*([^\s=/<>"']+)\s*=\s*(?:"([^"]*)"|'([^']*)')/gy

/** The steps that are left of a path, with names without their prefixes. */
interface Way {
  path: Path
  steps: readonly PathStep[]
}

/** How far the paths have led at an element. Elements of one name share it. */
interface State {
  ways: readonly Way[]
  /** The path that ends at the contents. */
  last: Path | undefined
  next: Map<string, State>
  /** The path that leads to an attribute, by its name. */
  attributes: Map<string, Path | undefined>
  /** A path has an index: which elements it means depends on how many came before. */
  counts: boolean
}

/** An element that is not closed yet. */
interface Open {
  state: State
  counts: Map<string, number>
  /** Where its contents begin. */
  start: number
  text: string
  /** Set if a path ends at its contents. */
  found: Pick<ValuePlace, 'path' | 'values'> | null
  /** `found` of this element, or of an element around it. */
  within: Open['found']
}

/**
 * The contents and attributes to which these paths lead in an XML text, in doubt more: `[]` takes an element alone, all of a
 * name, and all in an element. Prefixes do not count, since a mapping may have others than the sender. What stands in contents
 * that are found is not reported. Null if the text is no XML, or too deep.
 */
export function findXmlValues(text: string, paths: readonly Path[]): ValuePlace[] | null {
  const walk = new Walk(text, paths)
  const parser = new SaxesParser({ position: true })
  parser.on('error', (error) => {
    throw error
  })
  parser.on('opentag', (tag: SaxesTag) => walk.begin(tag, parser.position))
  parser.on('text', (part) => walk.read(part))
  parser.on('cdata', (part) => walk.read(part))
  parser.on('closetag', () => walk.close(parser.position))
  try {
    parser.write(text).close()
    return walk.places
  } catch {
    return null
  }
}

class Walk {
  readonly places: ValuePlace[] = []
  readonly #text: string
  readonly #open: Open[]

  constructor(text: string, paths: readonly Path[]) {
    this.#text = text
    const ways = paths.map((path) => ({ path, steps: path.map(withoutPrefix) }))
    this.#open = [openAt(0, stateOf(ways))]
  }

  begin({ name, attributes }: SaxesTag, position: number): void {
    const parent = this.#open.at(-1)
    if (!parent || this.#open.length > ELEMENTS_DEEP_MAX) throw new Error('too deep')
    const state = parent.within ? NOWHERE : stateOfChild(parent, name)
    const found = state.last ? { path: state.last, values: [] } : null
    if (parent.within) parent.within.values.push(...Object.values(attributes).map(String))
    else if (state !== NOWHERE) this.#findAttributes(state, name, attributes, position)
    this.#open.push({ ...openAt(position, state), found, within: found ?? parent.within })
  }

  read(part: string): void {
    const here = this.#open.at(-1)
    if (here?.within) here.text += part
  }

  close(position: number): void {
    const closed = this.#open.pop()
    if (!closed) return
    const { found, within, start, text } = closed
    if (text !== '') within?.values.push(text)
    if (!found) return
    // An empty element ends where its tag begins.
    const end = Math.max(start, this.#text.lastIndexOf('<', position - 1))
    this.places.push({ start, end, ...found })
  }

  #findAttributes(
    state: State,
    name: string,
    attributes: SaxesTag['attributes'],
    end: number,
  ): void {
    if (!Object.keys(attributes).some((one) => pathTo(state, one))) return
    const start = this.#text.lastIndexOf('<', end - 1) + 1 + name.length
    for (const { name: attribute, ...span } of attributesIn(this.#text, { start, end })) {
      const path = pathTo(state, attribute)
      const values = [String(attributes[attribute] ?? '')]
      if (path) this.places.push({ ...span, path, values })
    }
  }
}

function openAt(start: number, state: State): Open {
  return { state, counts: new Map(), start, text: '', found: null, within: null }
}

function withoutPrefix(step: PathStep): PathStep {
  return typeof step === 'string' ? localOf(step) : step
}

function stateOf(ways: readonly Way[]): State {
  const last = ways.find(({ steps }) => isEnd(steps) || isLast(steps, '#text'))?.path
  const counts = ways.some(({ steps }) => steps.some((step) => typeof step === 'number'))
  return { ways, last, next: new Map(), attributes: new Map(), counts }
}

const NOWHERE = stateOf([])

/** Gives the state of a child with this name, and counts the child. */
function stateOfChild({ state, counts }: Open, name: string): State {
  if (state === NOWHERE) return NOWHERE
  const known = state.next.get(name)
  if (known) return known
  const local = localOf(name)
  // A mapping that reads prefixes counts the elements of one prefix only. The key with a blank is no name.
  const [least, most] = [counts.get(name) ?? 0, counts.get(` ${local}`) ?? 0]
  counts.set(name, least + 1)
  counts.set(` ${local}`, most + 1)
  const isAt = (index: number) => index < 0 || (least <= index && index <= most)
  const ways = state.ways.flatMap((way) => further(way, local, isAt))
  const next = ways.length > 0 ? stateOf(ways) : NOWHERE
  if (!state.counts) state.next.set(name, next)
  return next
}

/** One element is a list of one, and a list of one is an element. */
function further({ path, steps }: Way, name: string, isAt: (index: number) => boolean): Way[] {
  const [step, next] = steps
  if (step === EACH) {
    const rest = { path, steps: steps.slice(1) }
    return [rest, ...further(rest, name, isAt)]
  }
  if (step !== name) return []
  if (typeof next !== 'number') return [{ path, steps: steps.slice(1) }]
  return isAt(next) ? [{ path, steps: steps.slice(2) }] : []
}

/** Lists at the end may stand for the element itself. */
function isEnd(steps: readonly PathStep[]): boolean {
  return steps.every((step) => step === EACH)
}

function isLast(steps: readonly PathStep[], name: string): boolean {
  const [step, ...others] = steps.filter((one) => one !== EACH)
  return others.length === 0 && step === name
}

/** `[*]` takes attributes too, and `#text` of a text is the text. */
function isTextOfEach(steps: readonly PathStep[]): boolean {
  return steps[0] === EACH && isLast(steps, '#text')
}

function pathTo({ ways, attributes }: State, name: string): Path | undefined {
  if (attributes.has(name)) return attributes.get(name)
  const attribute = `@${localOf(name)}`
  const path = ways.find(
    ({ steps }) => isEnd(steps) || isLast(steps, attribute) || isTextOfEach(steps),
  )?.path
  attributes.set(name, path)
  return path
}

/** The values of the attributes in the rest of a tag, without their quotes. */
function* attributesIn(text: string, tag: Span): Generator<Span & { name: string }> {
  for (const match of text.slice(tag.start, tag.end).matchAll(ATTRIBUTE)) {
    const [whole, name = '', double, single] = match
    const end = tag.start + match.index + whole.length - 1
    yield { name, start: end - (double ?? single ?? '').length, end }
  }
}
