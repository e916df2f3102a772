import { capitalized, labelOf, type RecordDefinition } from '../../engine/model/record.ts'
import { count } from '../parts/numbers.ts'

/** What lists and pages show as cells and facts: neither the name, nor the id, the state and objects. */
export function factsOf({ key, fields }: RecordDefinition, names: readonly string[]): string[] {
  return names.filter((name) => {
    const { kind } = fields[name] ?? {}
    return ![key, 'id'].includes(name) && kind !== 'flag' && kind !== 'object'
  })
}

export function headingOf(record: RecordDefinition, name: string): string {
  return capitalized(labelOf(record, name))
}

/** The field's value as people read it; a dash for null. */
export function textOf({ fields }: RecordDefinition, name: string, row: object): string {
  const value: unknown = Reflect.get(row, name)
  if (value === null || value === undefined) return '—'
  return fields[name]?.kind === 'quantity' ? count(Number(value)) : String(value)
}
