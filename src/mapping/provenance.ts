import type { JsonObject } from '../fields.ts'
import { EACH, type Path, PathError, printPath, readPath } from '../path.ts'
import type { CompiledRules } from './compile.ts'
import { wildcardsOf } from './rules.ts'
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
  const { given, driven } = sourcesOf(root, target, payload)
  const writer = given.find(
    ({ path, fixed, isDriven }) => isDriven && isThere(fixed ?? payload, path),
  )
  const hasWritten = writer && isThere(writer.fixed ?? payload, [...writer.path, ...writer.rest])
  const array = driven.find(({ path }) => isArrayThere(payload, path)) ?? driven[0]
  const source = hasWritten ? writer : (array ?? given[0])
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
  /** The steps of the target that lie within what the path leads to. */
  rest: Path
  /** The arrays that it is written into have something to drive them. */
  isDriven: boolean
}

/**
 * Whatever may have filled the target: rules that give it or something around it, the longest
 * target first, and arrays whose elements are its own.
 */
function sourcesOf(root: Node, target: Path, payload: unknown) {
  const given: Source[] = []
  const driven: Source[] = []
  const positions: (number | undefined)[] = []
  const concrete = (path: Path) => concretePath(path, positions, payload)
  let isDriven = true
  let node: Node | undefined = root
  for (const [at, step] of target.entries()) {
    const isElement: boolean = node.each !== null
    if (isElement) {
      isDriven &&= drivers(node, false).some((path) => isArrayThere(payload, concrete(path)))
      positions.push(typeof step === 'number' ? step : undefined)
    }
    node = stepInto(node, step)
    if (!node) break
    const rest = target.slice(at + 1)
    if (node.rule?.source) given.unshift({ path: concrete(node.rule.source), rest, isDriven })
    else if (node.rule)
      given.unshift({ path: ['value'], fixed: { value: node.rule.value }, rest, isDriven })
    else if (rest.length === 0) {
      driven.push(
        ...drivers(node, isElement).map((path) => ({ path: concrete(path), rest, isDriven })),
      )
    }
  }
  return { given, driven }
}

/** The arrays of the payload that drive an array of the target, or the elements that drive one. */
function drivers(node: Node, isElement: boolean): Path[] {
  const level = wildcardsOf(node.target)
  if (node.each)
    return node.each.rules.filter(drives).map((rule) => prefixOf(rule.source ?? [], level))
  if (!isElement) return []
  return node.rules.filter(drives).map((rule) => [...prefixOf(rule.source ?? [], level - 1), EACH])
}

function isArrayThere(payload: unknown, path: Path): boolean {
  return (valueAt(payload, path) ?? null) !== null
}

function isThere(document: unknown, path: Path): boolean {
  return valueAt(document, path) !== undefined
}

function valueAt(document: unknown, path: Path): unknown {
  return path.reduce<unknown>(memberOf, document)
}
