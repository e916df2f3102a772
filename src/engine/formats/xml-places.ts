import { SaxesParser, type SaxesTag } from 'saxes'
import type { Path } from '../json/path.ts'
import type { Span } from './text-place.ts'
import { ELEMENTS_DEEP_MAX } from './xml.ts'

/** A path whose first `at` steps lead to an element. */
interface Way {
  path: Path
  at: number
}

/** An element that is not closed yet. */
interface Open {
  ways: Way[]
  counts: Map<string, number>
  /** Where its tag begins and ends. */
  tag: Span
}

/**
 * Where these paths lead in an XML text: the contents of an element, or the tag that has an attribute. Prefixes do not count,
 * since a mapping may have others than the sender. Of a text that is no XML, or too deep, those before its fault.
 */
export function findXmlPlaces(text: string, paths: readonly Path[]): Map<Path, Span> {
  const places = new Map<Path, Span>()
  const open: Open[] = [
    openAt(
      paths.map((path) => ({ path, at: 0 })),
      { start: 0, end: 0 },
    ),
  ]
  const parser = new SaxesParser({ position: true })
  parser.on('error', (error) => {
    throw error
  })
  parser.on('opentag', ({ name, attributes }: SaxesTag) => {
    const parent = open.at(-1)
    if (!parent || open.length > ELEMENTS_DEEP_MAX) throw new Error('no document that is read')
    const local = localOf(name)
    const index = parent.counts.get(local) ?? 0
    parent.counts.set(local, index + 1)
    const tag = { start: text.lastIndexOf('<', parser.position - 1), end: parser.position }
    const ways = parent.ways.flatMap((way) => further(way, local, index))
    const names = Object.keys(attributes).map((one) => `@${localOf(one)}`)
    for (const { path, at } of ways) {
      if (isLast(path, at) && names.includes(localOf(String(path[at])))) places.set(path, tag)
    }
    open.push(openAt(ways, tag))
  })
  parser.on('closetag', () => {
    const { ways, tag } = open.pop() ?? openAt([], { start: 0, end: 0 })
    const end = text.lastIndexOf('<', parser.position - 1)
    const contents = end > tag.start && end > tag.end ? { start: tag.end, end } : tag
    for (const { path, at } of ways) {
      const isText = isLast(path, at) && path[at] === '#text'
      if (at === path.length || isText) places.set(path, contents)
    }
  })
  try {
    parser.write(text).close()
  } catch {
    return places
  }
  return places
}

function openAt(ways: Way[], tag: Span): Open {
  return { ways, counts: new Map(), tag }
}

function isLast(path: Path, at: number): boolean {
  return at === path.length - 1
}

/** Of one element a path has no index. */
function further({ path, at }: Way, name: string, index: number): Way[] {
  const [step, next] = [path[at], path[at + 1]]
  if (typeof step !== 'string' || localOf(step) !== name) return []
  if (typeof next === 'number') return next === index ? [{ path, at: at + 2 }] : []
  return index === 0 ? [{ path, at: at + 1 }] : []
}

/** A name without its prefix. `@` stays: it is no part of one. */
export function localOf(name: string): string {
  const [, attribute = '', local = name] = /^(@?)(?:[^:]*:)?([^:]+)$/.exec(name) ?? []
  return attribute + local
}
