import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import type { Resource } from '../../engine/mapping/identifier.ts'
import type { SettingsKind } from '../../settings/history/schema.ts'
import { may } from '../access.ts'
import { API_KEYS_PATH, mappingPath, PARTNERS_PATH, WORKSPACE_PATH } from '../paths.ts'

/** What a change says of its record. */
export interface RecordOfChange {
  kind: SettingsKind
  record_id: string
  resource: Resource | null
  name: string
}

/** The record's name, as a link to its page. */
export function RecordName({ c, change }: { c: Context<AppEnv>; change: RecordOfChange }) {
  const text = textOfRecord(change)
  const isForWriters = change.kind === 'api_key' && !may(c, 'settings.keys.write')
  return isForWriters ? <span>{text}</span> : <a href={pathOfRecord(change)}>{text}</a>
}

export function textOfRecord({ kind, name, resource }: RecordOfChange): string {
  if (kind === 'workspace') return `Workspace ${name}`
  if (kind === 'mapping') return `Mapping of ${resource}, ${name}`
  return kind === 'partner' ? `Partner ${name}` : `API key ${name}`
}

function pathOfRecord({ kind, record_id, resource }: RecordOfChange): string {
  if (kind === 'workspace') return WORKSPACE_PATH
  if (resource !== null) return mappingPath({ partnerId: record_id, resource })
  return `${kind === 'partner' ? PARTNERS_PATH : API_KEYS_PATH}${record_id}/`
}
