import { byName } from '../../engine/json/by-name.ts'
import type { JsonObject } from '../../engine/json/json-object.ts'
import { stateAs } from '../../settings/history/schema.ts'
import { SavedMappingState } from '../../settings/mappings/schema.ts'
import { type Draft, type Row, RULE_TEXTS } from './draft.ts'
import { draftOfMapping } from './saved-draft.ts'

/** A draft member by member: each rule by its direction and target. */
export type DraftMembers = Record<string, string | Row> & { version: string }

const DIRECTIONS = ['inbound', 'outbound'] as const

export function membersOfDraft(draft: Draft, version: string): DraftMembers {
  const members: DraftMembers = { 'identifier field': draft.identifier_field, version }
  for (const direction of DIRECTIONS) {
    for (const name of RULE_TEXTS) members[`${direction} ${name}`] = draft[direction][name]
    for (const row of draft[direction].rows) {
      // Two rules of one target are an error that the form shows as it was sent.
      let name = `${direction} ${row.target}`
      while (Object.hasOwn(members, name)) name += ' '
      members[name] = row
    }
  }
  return members
}

/** The members of a mapping as the history has it; null if that has another shape. */
export function formerMembers(state: JsonObject | null): DraftMembers | null {
  const mapping = stateAs(SavedMappingState, state)
  return mapping && membersOfDraft(draftOfMapping(mapping), '')
}

/** The draft that has these members. */
export function draftOfMembers(members: DraftMembers): Draft {
  const rulesOf = (direction: string) => ({
    ...byName(RULE_TEXTS, (name) => String(members[`${direction} ${name}`] ?? '')),
    rows: Object.entries(members).flatMap(([name, member]) =>
      typeof member === 'object' && name.startsWith(`${direction} `) ? [member] : [],
    ),
  })
  return {
    identifier_field: String(members['identifier field'] ?? ''),
    inbound: rulesOf('inbound'),
    outbound: rulesOf('outbound'),
  }
}
