import { isObject } from '../json/json-object.ts'
import { EACH, type Path, printPath } from '../json/path.ts'
import { type MappingRule, type RuleFault, wildcardsOf } from './rules.ts'

/** A place in the mapped document. It has named members, or elements, or neither. */
export interface Node {
  target: Path
  /** The rule whose target is this place. */
  rule: MappingRule | null
  /** The rules at this place and below. */
  rules: MappingRule[]
  names: Map<string, Node>
  indexes: Map<number, Node>
  each: Node | null
}

function nodeAt(target: Path): Node {
  return { target, rule: null, rules: [], names: new Map(), indexes: new Map(), each: null }
}

/** The rules as a tree of their targets, and the faults between rules. */
export function buildTree(rules: MappingRule[]): { root: Node; faults: RuleFault[] } {
  const root = nodeAt([])
  const faults: RuleFault[] = []
  for (const rule of rules) {
    const message = addRule(root, rule)
    if (message) faults.push({ rule: rule.name, message })
  }
  return { root, faults: [...faults, ...faultsBelow(root)] }
}

/** Adds the rule, or returns why it contradicts one in the tree. */
function addRule(root: Node, rule: MappingRule): string | null {
  let node = root
  node.rules.push(rule)
  for (const step of rule.target) {
    const clash = clashAt(node, step)
    if (clash) return clash
    node = childOf(node, step)
    node.rules.push(rule)
  }
  if (node.rule) return `Writes the same target as "${node.rule.name}".`
  node.rule = rule
  return null
}

function childOf(node: Node, step: Path[number]): Node {
  const known = childAt(node, step)
  if (known) return known
  const child = nodeAt([...node.target, step])
  if (typeof step === 'string') node.names.set(step, child)
  else if (typeof step === 'number') node.indexes.set(step, child)
  else node.each = child
  return child
}

/** The child for the step. A wildcard's child stands for every index. */
export function childAt(node: Node, step: Path[number]): Node | undefined {
  if (typeof step === 'string') return node.names.get(step)
  if (typeof step === 'number' && node.indexes.has(step)) return node.indexes.get(step)
  return node.each ?? undefined
}

/** How many values, and objects and arrays among them, the rules make at a place and below. */
export interface Size {
  values: number
  objects: number
}

/** The size at the place, for one element of each array around it. Elements of arrays below do not count. */
export function sizeOf({ names, indexes, each }: Node): Size {
  const members = [...names.values(), ...indexes.values()].map(sizeOf)
  const objects = members.length > 0 || each ? 1 : 0
  return members.reduce(
    (sum, member) => ({
      values: sum.values + member.values,
      objects: sum.objects + member.objects,
    }),
    { values: 1, objects },
  )
}

function clashAt(node: Node, step: Path[number]): string | null {
  const place = `"${printPath(node.target)}"`
  const isArray = node.each !== null || node.indexes.size > 0
  if (typeof step === 'string') {
    return isArray ? `Another rule makes ${place} an array, this one an object.` : null
  }
  if (node.names.size > 0) return `Another rule makes ${place} an object, this one an array.`
  const mixed = step === EACH ? node.indexes.size > 0 : node.each !== null
  return mixed ? `${place} is written both by index and by [].` : null
}

function faultsBelow(node: Node): RuleFault[] {
  return [...nodeFaults(node), ...childrenOf(node).flatMap(faultsBelow)]
}

function childrenOf({ names, indexes, each }: Node): Node[] {
  return [...names.values(), ...indexes.values(), ...(each ? [each] : [])]
}

function nodeFaults(node: Node): RuleFault[] {
  const faults: RuleFault[] = []
  const { rule, rules, each, indexes, names } = node
  const place = printPath(node.target)
  const [first] = rules.filter((below) => below !== rule)
  if (rule && first && (each || indexes.size > 0)) {
    const message = `"${rule.name}" writes the whole array: no other rule can write into it.`
    faults.push({ rule: first.name, message })
  }
  if (rule && first && names.size > 0 && !rule.source && !isObject(rule.value)) {
    faults.push({
      rule: first.name,
      message: `"${rule.name}" is a fixed value that is not an object.`,
    })
  }
  const gap = [...indexes.keys()].find((index) => index > 0 && !indexes.has(index - 1))
  const behind = gap === undefined ? undefined : indexes.get(gap)?.rules[0]
  if (gap !== undefined && behind) {
    const message = `Leaves a gap: no rule writes "${place}[${gap - 1}]".`
    faults.push({ rule: behind.name, message, incomplete: place })
  }
  if (each && first && !each.rules.some(drives)) {
    const message = `Nothing sets the length of "${place}": one of its rules needs a source with [].`
    faults.push({ rule: first.name, message, incomplete: place })
  }
  return faults
}

/** Whether the rule's source has wildcards for those of the target. */
export function drives({ origin, source, target, within }: MappingRule): boolean {
  if (origin.kind === 'each') return true
  if (!source || within) return false
  const [into, outOf] = [wildcardsOf(target), wildcardsOf(source)]
  return into === outOf || (origin.kind === 'join' && outOf > into)
}
