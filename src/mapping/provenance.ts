import type { JsonObject } from '../fields.ts'
import type { CompiledRules } from './compile.ts'
import { EACH, type Path, PathError, printPath, readPath } from './path.ts'
import { type Rule, wildcardsOf } from './rules.ts'
import { concretePath, memberOf } from './run.ts'
import { prefixOf } from './streams.ts'
import { drives, type Node, stepInto } from './tree.ts'

/**
 * Which path of the payload filled this path of the mapped document: where the value was found, or,
 * where there is none, where it should have been. Null for a fixed value, and for an object that
 * several rules have put together.
 */
export function sourceOfPath(
  { root, consumed, unmapped }: CompiledRules,
  payload: unknown,
  target: Path,
): string | null {
  const [top] = target
  if (typeof top === 'string' && !root.names.has(top)) {
    return unmapped === 'keep' && !consumed.has(top) ? printPath(target) : null
  }
  const sources = sourcesOf(root, target).map((source) => ({
    ...source,
    path: concretePath(source.path, source.positions, payload),
  }))
  const writer = sources.find(({ path, fixed }) => valueAt(fixed ?? payload, path) !== undefined)
  const hasValue = writer && valueAt(writer.fixed ?? payload, [...writer.path, ...writer.rest])
  const source = hasValue === undefined ? sources[0] : writer
  return source && !source.fixed ? printPath([...source.path, ...source.rest]) : null
}

/** As `sourceOfPath`, of a target that is written as text; null for a text that is no path. */
export function sourceOfField(rules: CompiledRules, payload: unknown, field: string) {
  try {
    return sourceOfPath(rules, payload, readPath(field))
  } catch (error) {
    if (error instanceof PathError) return null
    throw error
  }
}

interface Source {
  path: Path
  /** Stands for the payload where the value is a fixed one. */
  fixed?: JsonObject
  /** The indexes of the target at its wildcards; none where the target is written with []. */
  positions: (number | undefined)[]
  /** The steps of the target that lie within what the path leads to. */
  rest: Path
}

/** Whatever may have filled the target, the longest target first. */
function sourcesOf(root: Node, target: Path): Source[] {
  const sources: Source[] = []
  const positions: (number | undefined)[] = []
  let node: Node | undefined = root
  for (const [at, step] of target.entries()) {
    const inEach: boolean = node.each !== null
    if (inEach) positions.push(typeof step === 'number' ? step : undefined)
    node = stepInto(node, step)
    if (!node) break
    const rest = target.slice(at + 1)
    if (node.rule) sources.unshift({ ...originOf(node.rule), positions, rest })
    else if (rest.length === 0) sources.unshift(...arraysOf(node, inEach, positions))
  }
  return sources
}

function originOf({ source, value }: Rule): Pick<Source, 'path' | 'fixed'> {
  return source ? { path: source } : { path: ['value'], fixed: { value } }
}

/** Of an array that no rule gives as a whole, or an element of one: the arrays that drive it. */
function arraysOf(node: Node, isElement: boolean, positions: Source['positions']): Source[] {
  const level = wildcardsOf(node.target) - (isElement ? 1 : 0)
  const rules = isElement ? node.rules : (node.each?.rules ?? [])
  return rules.filter(drives).map(({ source }) => {
    const path = prefixOf(source ?? [], level)
    return { path: isElement ? [...path, EACH] : path, positions, rest: [] }
  })
}

function valueAt(payload: unknown, path: Path): unknown {
  return path.reduce<unknown>(memberOf, payload)
}
