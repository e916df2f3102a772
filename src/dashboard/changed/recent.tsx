import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import { seenBy } from '../../settings/history/access.ts'
import { listSettingsChanges, type SettingsRecord } from '../../settings/history/queries.ts'
import { may } from '../access.ts'
import { settingsHistoryPath } from '../paths.ts'
import { ChangeLine, type ListedChange } from './line.tsx'
import type { RecordOfChange } from './record-name.tsx'

const SHOWN_MAX = 5

type RecentChange = ListedChange & Pick<RecordOfChange, 'kind' | 'resource'>

/** The newest changes of a settings record; null if the session's key may not read them. */
export async function recentChanges(
  c: Context<AppEnv>,
  { record_id }: SettingsRecord,
): Promise<RecentChange[] | null> {
  if (!may(c, 'settings.audit.read')) return null
  const { seen } = seenBy(c)
  const page = { limit: SHOWN_MAX, before: undefined }
  const { rows } = await listSettingsChanges(c.get('db'), { record_id, seen }, page)
  return rows.slice(0, SHOWN_MAX)
}

interface RecentProps {
  c: Context<AppEnv>
  record_id: string
  changes: RecentChange[] | null
}

export function RecentChanges({ c, record_id, changes }: RecentProps) {
  if (changes === null) return null
  return (
    <section>
      <h2>History</h2>
      {changes.length === 0 ? (
        <p class="nothing">Nothing has changed in the last 400 days.</p>
      ) : (
        <ul class="changes">
          {changes.map((change) => (
            <li>
              <ChangeLine
                c={c}
                change={change}
                of={change.kind === 'mapping' ? `mapping of ${change.resource}` : undefined}
              />
            </li>
          ))}
        </ul>
      )}
      <p>
        <a href={settingsHistoryPath({ record_id })}>All changes</a>
      </p>
    </section>
  )
}
