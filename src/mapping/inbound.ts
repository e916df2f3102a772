import type { JsonObject } from '../fields.ts'
import type { Path } from '../path.ts'
import type { SourceOf } from '../source.ts'
import { type Warning, withoutEffect } from '../warnings.ts'
import { applyRules, type CompiledRules, compileRules } from './compile.ts'
import type { Resource } from './identifier.ts'
import type { Problem } from './problem.ts'
import { sourceOfField, sourceOfPath } from './provenance.ts'
import type { SavedRules } from './rules.ts'
import { unreadFields } from './unread.ts'

/** A partner's document in our words. */
export interface MappedDocument {
  value: JsonObject
  /** Where there are any, the value is not to be used. */
  problems: Problem[]
  /** The payload's path that fills one of our fields, `items[1].quantity`; see provenance.ts. */
  sourceOf: SourceOf
  /** As `sourceOf`, of a path that is no text. */
  sourceOfPath: (target: Path) => string | null
  /** Of each of the payload's fields that had no effect. */
  unread: () => Warning[]
}

// Callers hold their rules for as long as the settings version lasts.
const compiled = new WeakMap<SavedRules, CompiledRules>()

/** Maps the body of a POST or PUT. Rules are compiled once for each object that holds them. */
export function mapDocument(
  resource: Resource,
  saved: SavedRules,
  payload: JsonObject,
  method: string,
): MappedDocument {
  const rules = compiled.get(saved) ?? compileInbound(resource, saved)
  compiled.set(saved, rules)
  return {
    ...applyRules(rules, payload, { partial: method === 'PUT' }),
    sourceOf: (field) => sourceOfField(rules, payload, field),
    sourceOfPath: (target) => sourceOfPath(rules, payload, target),
    unread: () => unreadFields(rules, payload).map(unreadWarning),
  }
}

/** The rows of an upload are checked one by one afterwards: a row that lacks a field is its own. */
function compileInbound(resource: Resource, saved: SavedRules): CompiledRules {
  return compileRules(saved, resource === 'inventory' ? { elementsOf: 'inventory' } : {})
}

function unreadWarning(field: string): Warning {
  return withoutEffect(field, 'The mapping does not read it')
}
