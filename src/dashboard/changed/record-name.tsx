import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import type { Resource } from '../../engine/mapping/identifier.ts'
import { otherKindsAmong } from '../../settings/api-keys/kinds-among.ts'
import type { SettingsKind } from '../../settings/history/schema.ts'
import { may } from '../access.ts'
import {
  API_KEYS_PATH,
  mappingPath,
  PARTNERS_PATH,
  PEOPLE_PATH,
  WORKSPACE_PATH,
  webhookPath,
} from '../paths.ts'

/** What a change says of its record. */
export interface RecordOfChange {
  kind: SettingsKind
  record_id: string
  resource: Resource | null
  name: string
  /** What a key is, if it is no API key. */
  is?: 'webhook' | 'person' | undefined
}

/** The changes, with what tells webhooks and people from other keys. */
export async function tellKinds<Change extends RecordOfChange>(
  c: Context<AppEnv>,
  changes: readonly Change[],
): Promise<(Change & Pick<RecordOfChange, 'is'>)[]> {
  const keys = changes.filter(({ kind }) => kind === 'api_key')
  const ids = [...new Set(keys.map(({ record_id }) => record_id))]
  if (ids.length === 0) return [...changes]
  const others = await otherKindsAmong(c.get('db'), ids)
  return changes.map((change) => ({ ...change, is: others.get(change.record_id) }))
}

/** The record's name, as a link to its page. */
export function RecordName({ c, change }: { c: Context<AppEnv>; change: RecordOfChange }) {
  const text = textOfRecord(change)
  const isForWriters = change.kind === 'api_key' && !change.is && !may(c, 'settings.keys.write')
  return isForWriters ? <span>{text}</span> : <a href={pathOfRecord(change)}>{text}</a>
}

export function textOfRecord({ kind, name, resource, is }: RecordOfChange): string {
  if (is === 'webhook') return `Webhook ${name}`
  if (is === 'person') return `Person ${name}`
  if (kind === 'workspace') return `Workspace ${name}`
  if (kind === 'mapping') return `Mapping of ${resource}, ${name}`
  return kind === 'partner' ? `Partner ${name}` : `API key ${name}`
}

function pathOfRecord({ kind, record_id, resource, is }: RecordOfChange): string {
  if (is === 'webhook') return webhookPath(record_id)
  if (is === 'person') return `${PEOPLE_PATH}${record_id}/`
  if (kind === 'workspace') return WORKSPACE_PATH
  if (resource !== null) return mappingPath({ partnerId: record_id, resource })
  return `${kind === 'partner' ? PARTNERS_PATH : API_KEYS_PATH}${record_id}/`
}
