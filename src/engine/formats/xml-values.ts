import { SaxesParser, type SaxesTag } from 'saxes'
import { EACH, type Path } from '../json/path.ts'
import type { Span, ValuePlace } from './text-place.ts'
import { ELEMENTS_DEEP_MAX } from './xml.ts'
import { localOf } from './xml-places.ts'

const ATTRIBUTE = /([^\s=/<>"']+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g

/** A path of which so many steps have led here. */
interface Way {
  path: Path
  at: number
}

/** An element that is not closed yet. */
interface Open {
  ways: Way[]
  counts: Map<string, number>
  /** Where its contents begin. */
  start: number
  /** The paths that end at its contents. */
  ends: Path[]
  values: string[]
}

/**
 * The contents and attributes to which these paths lead in an XML text, in doubt more: `[]` takes an element alone, all of a
 * name, and all in an element. Prefixes do not count, since a mapping may have others than the sender. Null if the text is no
 * XML, or too deep.
 */
export function findXmlValues(text: string, paths: readonly Path[]): ValuePlace[] | null {
  const places: ValuePlace[] = []
  const open = [openAt(paths.map((path) => ({ path, at: 0 })))]
  const parser = new SaxesParser({ position: true })
  const addText = (value: string) => {
    for (const { ends, values } of open) if (ends.length > 0) values.push(value)
  }
  parser.on('error', (error) => {
    throw error
  })
  parser.on('opentag', ({ name, attributes }: SaxesTag) => {
    const parent = open.at(-1)
    if (!parent || open.length > ELEMENTS_DEEP_MAX) throw new Error('no document that is read')
    const local = localOf(name)
    const index = parent.counts.get(local) ?? 0
    parent.counts.set(local, index + 1)
    const ways = parent.ways.flatMap((way) => further(way, local, index))
    const tag = { start: text.lastIndexOf('<', parser.position - 1), end: parser.position }
    const decoded = new Map(Object.entries(attributes).map(([key, value]) => [key, String(value)]))
    for (const value of decoded.values()) addText(value)
    for (const { name: attribute, ...span } of attributesIn(text, tag)) {
      const path = ways.find((way) => leadsTo(way, attribute))?.path
      if (path) places.push({ ...span, path, values: [decoded.get(attribute) ?? ''] })
    }
    open.push(openAt(ways, tag.end))
  })
  parser.on('text', addText)
  parser.on('cdata', addText)
  parser.on('closetag', () => {
    const { ends, start, values } = open.pop() ?? openAt([])
    // An empty element ends where its tag begins.
    const end = Math.max(start, text.lastIndexOf('<', parser.position - 1))
    places.push(...ends.map((path) => ({ start, end, path, values })))
  })
  try {
    parser.write(text).close()
    return places
  } catch {
    return null
  }
}

function openAt(ways: Way[], start = 0): Open {
  const ended = ways.filter(({ path, at }) => isEnd(path, at) || isLast(path, at, '#text'))
  return { ways, counts: new Map(), start, ends: ended.map(({ path }) => path), values: [] }
}

/** Lists at the end may stand for the element itself. */
function isEnd(path: Path, at: number): boolean {
  return at > 0 && path.slice(at).every((step) => step === EACH)
}

function leadsTo({ path, at }: Way, attribute: string): boolean {
  return isEnd(path, at) || isLast(path, at, `@${localOf(attribute)}`)
}

function isLast(path: Path, at: number, name: string): boolean {
  const [step, ...others] = path.slice(at).filter((one) => one !== EACH)
  return others.length === 0 && typeof step === 'string' && localOf(step) === name
}

/** One element is a list of one, and a list of one is an element. */
function further({ path, at }: Way, name: string, index: number): Way[] {
  const step = path[at]
  if (step === EACH) return [{ path, at: at + 1 }, ...further({ path, at: at + 1 }, name, index)]
  if (typeof step !== 'string' || localOf(step) !== name) return []
  const next = path[at + 1]
  if (typeof next !== 'number') return [{ path, at: at + 1 }]
  return next === index || next < 0 ? [{ path, at: at + 2 }] : []
}

/** The values of the attributes in a tag, without their quotes. */
function* attributesIn(text: string, tag: Span): Generator<Span & { name: string }> {
  for (const match of text.slice(tag.start, tag.end).matchAll(ATTRIBUTE)) {
    const [whole, name = '', double, single] = match
    const end = tag.start + match.index + whole.length - 1
    yield { name, start: end - (double ?? single ?? '').length, end }
  }
}
