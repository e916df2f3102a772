import { applyRules, type CompiledRules, compileRules } from './compile.ts'
import type { SavedRules } from './rules.ts'

const compiled = new WeakMap<SavedRules, CompiledRules>()

/** Our record as a partner wants to see it. What cannot be resolved is left out. */
export function mapRecord(saved: SavedRules, record: object): object {
  const rules = compiled.get(saved) ?? compileRules(saved)
  compiled.set(saved, rules)
  return applyRules(rules, { ...record }).value
}
