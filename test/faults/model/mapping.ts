import { isObject } from './fields.ts'
import type { Json, Mapping, Rules } from './state.ts'

// As much of the mapping language as the generators use: members, and all elements of one array.

/** The document in our words; null where a rule meets something else than it expects. */
export function mapped({ unmapped, fields }: Rules, sent: Json): Json | null {
  const sources = Object.values(fields).map(rootOf)
  const targets = Object.keys(fields).map(rootOf)
  const rest = Object.entries(sent).filter(([name]) => !sources.includes(name))
  if (unmapped === 'reject' && rest.length > 0) return null
  const kept = unmapped === 'keep' ? rest.filter(([name]) => !targets.includes(name)) : []
  const result: Json = Object.fromEntries(kept)
  for (const [target, source] of Object.entries(fields)) {
    const fits = target.includes('[].')
      ? mapEach(target, source, sent, result)
      : mapOne(target, source, sent, result)
    if (!fits) return null
  }
  return result
}

const rootOf = (path: string) => path.split(/[.[]/)[0] ?? ''

function mapOne(target: string, source: string, sent: Json, result: Json): boolean {
  let value: unknown = sent
  for (const name of source.split('.')) {
    if (value === undefined || value === null) return true
    if (!isObject(value)) return false
    value = value[name]
  }
  if (value !== undefined) result[target] = value
  return true
}

function mapEach(target: string, source: string, sent: Json, result: Json): boolean {
  const [array = '', member = ''] = target.split('[].')
  const [from = '', name = ''] = source.split('[].')
  const elements = sent[from]
  if (elements === undefined || elements === null) return true
  if (!Array.isArray(elements) || !elements.every(isObject)) return false
  const made = (result[array] ?? elements.map(() => ({}))) as Json[]
  for (const [index, element] of elements.entries()) {
    const into = made[index]
    if (into && element[name] !== undefined) into[member] = element[name]
  }
  result[array] = made
  return true
}

/** Our record, or several, as the mapping shows them. */
export function outward(mapping: Mapping | undefined, data: unknown): unknown {
  const rules = mapping?.outbound
  if (!rules) return data
  const show = (record: unknown) => {
    const whole = record as Json
    const pairs = Object.entries(rules.fields).map(([to, from]) => [to, whole[from]])
    return Object.fromEntries(pairs.filter(([, value]) => value !== undefined))
  }
  return Array.isArray(data) ? data.map(show) : show(data)
}
