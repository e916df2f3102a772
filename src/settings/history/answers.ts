import * as z from 'zod'
import { SETTINGS_KINDS } from '../../engine/db/tables.ts'
import { RESOURCES } from '../../engine/mapping/identifier.ts'

/** What an entry of the history of settings shows in a list. */
const ListedChange = z.object({
  id: z.int(),
  kind: z.enum(SETTINGS_KINDS),
  record_id: z.string(),
  resource: z.enum(RESOURCES).nullable(),
  name: z.string(),
  action: z.enum(['created', 'changed', 'deleted']),
  fields: z.array(z.string()),
  created_at: z.string(),
  request_id: z.string().nullable(),
  api_key_id: z.string().nullable(),
  api_key_name: z.string().nullable(),
  source: z.enum(['api', 'dashboard', 'operator']),
})

const State = z.record(z.string(), z.unknown()).nullable()

export const SettingsChange = {
  Listed: ListedChange,
  Shown: ListedChange.extend({ before: State, after: State }),
}
