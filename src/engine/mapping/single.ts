import { EACH, type Path, printPath } from '../json/path.ts'
import type { Resource } from './identifier.ts'
import { allPaths, pathsRead } from './members.ts'
import { unfiltered } from './records.ts'
import { isList, type MappingRule, type RuleFault, wildcardsOf } from './rules.ts'

/** The fields that tell records apart, and the array whose elements are lines of a record or records themselves. */
const TELLING: Record<Resource, { fields: readonly string[]; lines?: string }> = {
  orders: { fields: ['order_number', 'external_order_id'], lines: 'items' },
  products: { fields: ['sku'] },
  locations: { fields: ['code'] },
  inventory: { fields: [], lines: 'inventory' },
}

/**
 * The most elements that an array may have of which the rule reads one by its index; undefined for any number. Rules
 * for identifiers and lines take none of several records alone. Rules that write lines by index (`items[1]`) read as
 * many elements as there are such lines. The note of a line tells no records apart: what it passes over is a warning.
 */
export function elementsMaxOf(resource: Resource, { target }: MappingRule, rules: MappingRule[]) {
  const { fields, lines } = TELLING[resource]
  const [top, line] = target
  if (lines !== undefined && top === lines && target.at(-1) !== 'notes') {
    return typeof line === 'number' ? indexedLines(lines, rules) : 1
  }
  return fields.includes(printPath(target)) ? 1 : undefined
}

function indexedLines(lines: string, rules: MappingRule[]): number {
  const indexes = rules.flatMap(({ target: [top, line] }) =>
    top === lines && typeof line === 'number' ? [line] : [],
  )
  return new Set(indexes).size
}

/** Whether the rule writes this field, or a part of it, or what contains it. */
export function writes({ target }: MappingRule, field: Path): boolean {
  return target.slice(0, field.length).every((step, at) => step === field[at])
}

/**
 * The rules that would make one record of several: an identifier or a line reads one element of an array that other
 * rules make lines of.
 */
export function meltingFaults(
  resource: Resource,
  identifier: Path | null,
  rules: MappingRule[],
): RuleFault[] {
  const { lines } = TELLING[resource]
  const lining = rules.filter(({ target }) => target[0] === lines && target.includes(EACH))
  const telling = rules.filter(
    (rule) =>
      elementsMaxOf(resource, rule, rules) !== undefined ||
      (identifier !== null && writes(rule, identifier)),
  )
  return telling.flatMap((rule) => {
    const fault = arraysReadInPart(rule).flatMap((array) => {
      const other = lining.find(({ origin }) =>
        pathsRead(origin).some((path) => lists(path, array)),
      )
      return other ? [{ rule: rule.name, message: meltingMessage(array, other) }] : []
    })
    return fault.slice(0, 1)
  })
}

/** The arrays of which the rule reads an element by its index; of a header's joined text, those that it lists, too. */
function arraysReadInPart(rule: MappingRule): string[] {
  const joins = rule.origin.kind === 'join' && wildcardsOf(rule.target) === 0
  return allPaths(rule).flatMap((path) =>
    path.flatMap((step, at) =>
      typeof step === 'number' || (joins && isList(step)) ? [arrayAt(path, at)] : [],
    ),
  )
}

/** Whether the path goes through all elements of the array, or through those that a filter takes. */
function lists(path: Path, array: string): boolean {
  return path.some((step, at) => isList(step) && arrayAt(path, at) === array)
}

function arrayAt(path: Path, at: number): string {
  return printPath(unfiltered(path.slice(0, at)))
}

function meltingMessage(array: string, other: MappingRule): string {
  const place = array || '$'
  return `Takes part of "${place}", of whose elements "${other.name}" makes lines: several records would become one. If one element has this value, pick it by a filter, such as ${place}[?@.number]. If the elements are rows of several records, say which belong together: "records" with "each": "${place}[]" and "group_by".`
}
