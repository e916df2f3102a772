import { isObject } from '../json/json-object.ts'
import { RuleError } from './rule-error.ts'
import type { Scalar } from './saved-rule.ts'

/** `values` of a rule: what is written instead of a text. */
export interface Table {
  entries: ReadonlyMap<string, Scalar>
  /** Values that the table does not have stay as they are. */
  keepsOthers: boolean
}

/** Most entries of a table. */
export const TABLE_VALUES_MAX = 200
const OTHERS = '*'

/** Reads `values` of a rule. Throws RuleError. */
export function readTable(values: unknown): Table {
  if (!isObject(values)) {
    throw new RuleError('"values" must be an object, such as {"processing": "pending"}.')
  }
  const all = Object.entries(values)
  if (all.length === 0) throw new RuleError('"values" must have at least 1 entry.')
  if (all.length > TABLE_VALUES_MAX) {
    throw new RuleError(`"values" must have at most ${TABLE_VALUES_MAX} entries.`)
  }
  const keepsOthers = isAsIs(values[OTHERS])
  const entries = all.filter(([text]) => text !== OTHERS || !keepsOthers)
  for (const [text, value] of entries) {
    if (text === '') throw new RuleError('"values" cannot have "": an empty text is no value.')
    if (typeof value === 'object' && value !== null) {
      throw new RuleError(`"values": "${text}" must be a text, a number, true, false or null.`)
    }
  }
  return { entries: new Map(entries as [string, Scalar][]), keepsOthers }
}

function isAsIs(value: unknown): boolean {
  return isObject(value) && value.as === 'is' && Object.keys(value).length === 1
}

/** What is written for a value with this text; undefined if the table has nothing for it. */
export function tableResult(table: Table, text: string, value: unknown): unknown {
  const { entries, keepsOthers } = table
  if (entries.has(text)) return entries.get(text)
  return keepsOthers ? value : entries.get(OTHERS)
}
