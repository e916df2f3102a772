import * as z from 'zod'
import { SETTINGS_KINDS } from '../../engine/db/tables.ts'
import type { Scope } from '../../engine/identity/scopes.ts'
import { QueryDateTime } from '../../engine/json/date-time.ts'
import type { JsonObject } from '../../engine/json/json-object.ts'
import { pageParams } from '../../engine/json/pagination.ts'
import { RESOURCES } from '../../engine/mapping/identifier.ts'

export const SETTINGS_HISTORY = 'history'

export type SettingsKind = (typeof SETTINGS_KINDS)[number]

/** The scope by which a key reads the records of each kind. Without it, it does not read their history either. */
export const SCOPE_OF_KIND: Record<SettingsKind, Scope> = {
  api_key: 'settings.keys.read',
  partner: 'settings.partners.read',
  mapping: 'settings.partners.read',
  workspace: 'settings.workspace.read',
}

/** The same for people, whose entries are of the kind `api_key`. */
export const SCOPE_OF_PEOPLE: Scope = 'settings.people.read'

/** The part of the history that a caller may read. */
export interface Seen {
  kinds: SettingsKind[]
  /** Of the keys: those that are people, and the others. */
  people: boolean
  keys: boolean
}

/** The record as an entry of the history has it; null if it has another shape. */
export function stateAs<Schema extends z.ZodType>(
  schema: Schema,
  state: JsonObject | null,
): z.output<Schema> | null {
  return schema.safeParse(state).data ?? null
}

export const HistoryFilters = {
  kind: z.enum(SETTINGS_KINDS).optional(),
  record_id: z.string().min(1).optional(),
  resource: z.enum(RESOURCES).optional(),
  api_key_id: z.string().min(1).optional(),
  from: QueryDateTime.optional(),
  to: QueryDateTime.optional(),
}

export const SettingsHistoryQuery = z.object({ ...pageParams(SETTINGS_HISTORY), ...HistoryFilters })
export type SettingsHistoryQuery = z.output<typeof SettingsHistoryQuery>
