import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import type { LoggedRequest } from '../../requests/audit-log/record.ts'
import { seenBy } from '../../settings/history/access.ts'
import { changesByRequest } from '../../settings/history/queries.ts'
import { may } from '../access.ts'
import { whatOf } from '../changed/line.tsx'
import { RecordName, tellKinds } from '../changed/record-name.tsx'
import { changePath } from '../paths.ts'

const OF_SETTINGS = /^\/(?:api\/settings\/v1|dashboard)\//
const ID = /^[0-9a-f-]{36}$/

type SettingsChanges = Awaited<
  ReturnType<typeof tellKinds<Awaited<ReturnType<typeof changesByRequest>>[number]>>
>

/** Which settings a request has changed, as far as the session's key may see it. */
export async function settingsChangedBy(
  c: Context<AppEnv>,
  { request_id, method, path, status, dry_run }: LoggedRequest,
): Promise<SettingsChanges> {
  const isChange = method !== 'GET' && status < 400 && !dry_run && OF_SETTINGS.test(path)
  if (!isChange || !may(c, 'settings.audit.read')) return []
  const ids = path.split('/').filter((part) => ID.test(part))
  const changes = await changesByRequest(c.get('db'), request_id, ids, seenBy(c).seen)
  return await tellKinds(c, changes)
}

interface SettingsProps {
  c: Context<AppEnv>
  changes: SettingsChanges
}

/** Each record that the request has changed, with a link to its page and one to the change. */
export function ChangedSettings({ c, changes }: SettingsProps) {
  if (changes.length === 0) return null
  return (
    <section>
      <h2>What it changed</h2>
      <ul class="changes">
        {changes.map((change) => (
          <li>
            <RecordName c={c} change={change} />: {whatOf(change)}{' '}
            <a href={changePath(change.id)}>Show change {change.id}</a>
          </li>
        ))}
      </ul>
    </section>
  )
}
