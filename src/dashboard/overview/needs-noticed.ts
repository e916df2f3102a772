import type { Context } from 'hono'
import type { PartnerDoubt } from '../../engine/db/tables.ts'
import type { AppEnv } from '../../engine/env.ts'
import { DAY_MS } from '../../engine/json/date-time.ts'
import type { Home } from '../../requests/overview/queries.ts'
import { may } from '../access.ts'
import { PARTNERS_PATH, WORKSPACE_PATH } from '../paths.ts'
import type { NeedLine } from './need-line.ts'

const DOUBTS: Record<PartnerDoubt, string> = {
  mapping_refused: 'a mapping that would be refused if it were saved today',
  field_refused: 'a field that is refused again and again',
  same_document: 'a record that is refused each time it is sent',
  no_cursor: 'a list of which only the first page is read',
  release_ending: 'a release of the API that ends',
}

/** What the daily check-up has found. The partner's page has the findings of now. */
export function doubtNeeds({ doubted }: Home): NeedLine[] {
  return doubted.map(({ partner_id, partner_name, checked_at, kinds }) => ({
    number: String(kinds.length),
    text: `${kinds.length === 1 ? 'finding' : 'findings'} in the check-up of ${partner_name}: ${kinds.map((kind) => DOUBTS[kind]).join('; ')}`,
    time: { words: 'found', at: checked_at },
    action: { href: `${PARTNERS_PATH}${partner_id}/`, text: 'Open', of: partner_name },
  }))
}

/** D1 takes no database beyond it. https://developers.cloudflare.com/d1/platform/limits/ */
const DATABASE_BYTES_MAX = 10_000_000_000
/** In per cent. Operators are told from 70 on. */
const FULL_FROM = 80

/** For whoever looks after the workspace: a full database, an old backup. */
export function storeNeeds(
  c: Context<AppEnv>,
  { backed_up_at, read_at }: Home,
  database_bytes: number | null,
): NeedLine[] {
  if (!may(c, 'settings.workspace.read')) return []
  return [
    ...fullNeeds(database_bytes ?? 0, may(c, 'settings.workspace.write')),
    ...backupNeeds(backed_up_at, read_at),
  ]
}

function fullNeeds(bytes: number, mayChange: boolean): NeedLine[] {
  const full = Math.floor((bytes / DATABASE_BYTES_MAX) * 100)
  if (full < FULL_FROM) return []
  const text =
    'of the database of this workspace is full. Keep less of the audit log, or ask whoever operates the service'
  return [
    {
      number: `${full}%`,
      text,
      action: mayChange
        ? { href: WORKSPACE_PATH, text: 'Keep less', of: 'the audit log' }
        : undefined,
    },
  ]
}

/** Backups are taken each night. One that failed once is not old. */
const BACKUP_MS = 3 * DAY_MS

function backupNeeds(backed_up_at: string | null, read_at: string): NeedLine[] {
  if (backed_up_at === null) return []
  const age = Date.parse(read_at) - Date.parse(backed_up_at)
  if (age < BACKUP_MS) return []
  return [
    {
      number: `${Math.floor(age / DAY_MS)} days`,
      text: 'without a backup. Ask whoever operates the service',
      time: { words: 'the last', at: backed_up_at },
    },
  ]
}
