import { SaxesParser, type SaxesTag } from 'saxes'
import { EACH, type Path } from '../json/path.ts'
import type { Span, ValuePlace } from './text-place.ts'
import { ELEMENTS_DEEP_MAX } from './xml.ts'
import { localOf } from './xml-places.ts'

const ATTRIBUTE = /([^\s=/<>"']+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g

/** Paths with the same beginning, as far as that leads. */
interface Fork {
  /** Those that end here. */
  paths: Path[]
  byName: Map<string, Fork>
  byIndex: Map<number, Fork>
  each: Fork | null
}

/** An element that is not closed yet. */
interface Open {
  forks: Fork[]
  counts: Map<string, number>
  /** Where its contents begin. */
  start: number
  /** The paths that lead to its contents. */
  paths: Path[]
  values: string[]
}

/**
 * The contents and attributes to which these paths lead in an XML text, in doubt more: `[]` takes an element alone, all of a
 * name, and all in an element. Prefixes do not count, since a mapping may have others than the sender. Null if the text is no
 * XML, or too deep.
 */
export function findXmlValues(text: string, paths: readonly Path[]): ValuePlace[] | null {
  const places: ValuePlace[] = []
  const open = [openAt([forkOf(paths)])]
  const parser = new SaxesParser({ position: true })
  const addText = (value: string) => {
    for (const one of open) if (one.paths.length > 0) one.values.push(value)
  }
  parser.on('error', (error) => {
    throw error
  })
  parser.on('opentag', ({ name, attributes }: SaxesTag) => {
    const parent = open.at(-1)
    if (!parent || open.length > ELEMENTS_DEEP_MAX) throw new Error('no document that is read')
    const values = Object.values(attributes).map(String)
    for (const value of values) addText(value)
    const forks = enter(parent, localOf(name))
    const tag = { start: text.lastIndexOf('<', parser.position - 1), end: parser.position }
    const element = openAt(forks, tag.end)
    places.push(
      ...attributePlaces(element, attributesIn(text, tag), Object.keys(attributes), values),
    )
    open.push(element)
  })
  parser.on('text', addText)
  parser.on('cdata', addText)
  parser.on('closetag', () => {
    const closed = open.pop()
    if (!closed || closed.paths.length === 0) return
    // An empty element ends where its tag begins.
    const end = Math.max(closed.start, text.lastIndexOf('<', parser.position - 1))
    places.push({ start: closed.start, end, paths: closed.paths, values: closed.values })
  })
  try {
    parser.write(text).close()
    return places
  } catch {
    return null
  }
}

function newFork(): Fork {
  return { paths: [], byName: new Map(), byIndex: new Map(), each: null }
}

function forkOf(paths: readonly Path[]): Fork {
  const first = newFork()
  for (const path of paths) {
    let fork = first
    for (const step of path) {
      if (step === EACH) {
        fork.each ??= newFork()
        fork = fork.each
      } else if (typeof step === 'number') fork = entry(fork.byIndex, step)
      else fork = entry(fork.byName, localOf(String(step)))
    }
    fork.paths.push(path)
  }
  return first
}

function entry<Key>(forks: Map<Key, Fork>, key: Key): Fork {
  const fork = forks.get(key) ?? newFork()
  forks.set(key, fork)
  return fork
}

function openAt(forks: Fork[], start = 0): Open {
  const texts = forks.flatMap(({ byName }) => withLists(byName.get('#text'), 0))
  const paths = [...forks, ...texts].flatMap((fork) => fork.paths)
  return { forks, counts: new Map(), start, paths, values: [] }
}

/** The forks at a child of this name. */
function enter({ forks, counts }: Open, name: string): Fork[] {
  const index = counts.get(name) ?? 0
  counts.set(name, index + 1)
  const next = forks.flatMap(({ byName, each }) => [
    ...withLists(byName.get(name), index),
    ...withLists(each ?? undefined, index),
  ])
  return next.length > 1 ? [...new Set(next)] : next
}

/** One element is a list of one, and a list of one is an element. */
function withLists(fork: Fork | undefined, index: number): Fork[] {
  if (!fork) return []
  const { each, byIndex } = fork
  const others = [each, byIndex.get(index), byIndex.get(-1)]
  return [fork, ...others.flatMap((one) => (one ? withLists(one, index) : []))]
}

/** Those that the paths name, or all in an element to which a path leads. */
function attributePlaces(
  { forks }: Open,
  spans: Span[],
  names: string[],
  values: string[],
): ValuePlace[] {
  const whole = forks.flatMap((fork) => fork.paths)
  return spans.flatMap((span, at): ValuePlace[] => {
    const name = `@${localOf(names[at] ?? '')}`
    const named = forks.flatMap(({ byName }) => withLists(byName.get(name), 0))
    const paths = [...whole, ...named.flatMap((fork) => fork.paths)]
    return paths.length === 0 ? [] : [{ ...span, paths, values: [values[at] ?? ''] }]
  })
}

/** The values of the attributes in a tag, without their quotes, in order. */
function attributesIn(text: string, tag: Span): Span[] {
  return Array.from(text.slice(tag.start, tag.end).matchAll(ATTRIBUTE), (match) => {
    const [whole, , double, single] = match
    const end = tag.start + match.index + whole.length - 1
    return { start: end - (double ?? single ?? '').length, end }
  })
}
