import { readPath } from '../../src/engine/json/path.ts'
import type { SavedPart, SavedRule } from '../../src/engine/mapping/saved-rule.ts'
import type { Starter } from '../../src/settings/mapping-starters/starters.ts'

/** A starter for the list of what another one takes one by one, as its file has it. */
export interface ListStarter extends Pick<Starter, 'name' | 'title' | 'document'> {
  list_of: {
    starter: string
    /** The path of the record in the document of that starter; empty if the document is the record. */
    record: string
    /** The path of the records in the list. */
    each: string
  }
  /** They stand before those of the other starter, whose first note is about its document. */
  notes: string[]
}

/** Gives a path as it leads into an element of the list. */
type Lead = (path: string) => string

/** Whole: with the rules of the other starter, and its record. The one in the file has what is different in a list. */
export function listStarter(
  { list_of, notes, document, ...own }: ListStarter,
  one: Starter,
): Starter {
  const { record, each } = list_of
  const { inbound } = one.mapping
  if (!inbound || inbound.records) throw new Error(`${one.name} takes no single record`)
  const lead = leadInto(record, each)
  const fields = Object.entries(inbound.fields).map(([target, rule]) => [target, moved(rule, lead)])
  const list = structuredClone(document)
  const records = valueAt(list, each.replace(/\[\]$/, ''))
  if (!Array.isArray(records)) throw new Error(`${own.name} has no list at ${each}`)
  records[0] = { ...(valueAt(one.document, record) as object), ...records[0] }
  return {
    ...one,
    ...own,
    notes: [...notes, ...one.notes.slice(1)],
    mapping: {
      ...one.mapping,
      inbound: { ...inbound, records: { each }, fields: Object.fromEntries(fields) },
    },
    document: list,
  }
}

function leadInto(record: string, each: string): Lead {
  return (path) => {
    if (record === '') return `${each}.${path}`
    if (path.startsWith(`${record}.`)) return each + path.slice(record.length)
    throw new Error(`${path} lies beside the record of a list`)
  }
}

function moved(rule: SavedRule, lead: Lead): SavedRule {
  if (typeof rule === 'string') return lead(rule)
  if ('value' in rule) return rule
  if ('each' in rule) return { ...rule, each: lead(rule.each) }
  const { less, times } = rule
  const steps = {
    ...(less && { less: less.map(lead) }),
    ...(typeof times === 'string' && { times: lead(times) }),
  }
  if ('join' in rule) {
    return { ...rule, ...steps, join: rule.join.map((part) => movedPart(part, lead)) }
  }
  const from = Array.isArray(rule.from) ? rule.from.map(lead) : lead(rule.from)
  return { ...rule, ...steps, from }
}

function movedPart(part: SavedPart, lead: Lead): SavedPart {
  if (typeof part === 'string') return lead(part)
  if ('value' in part) return part
  const [label, value] = part.pair
  return { ...part, pair: [lead(label), lead(value)] }
}

function valueAt(document: unknown, path: string): unknown {
  const steps = path === '' ? [] : (readPath(path) as string[])
  return steps.reduce((inner, step) => (inner as Record<string, unknown>)[step], document)
}
