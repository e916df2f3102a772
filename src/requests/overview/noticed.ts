import { sql } from 'drizzle-orm'
import { placeholders, prepared, qb } from '../../engine/db/prepared.ts'
import type { PartnerDoubt } from '../../engine/db/tables.ts'

// What others have noted for the overview: the daily check-up of partners, and the command that takes backups.

/** So many partners are named. */
export const DOUBTED_MAX = 4

const { checked_since, sees_check_ups } = placeholders('checked_since', 'sees_check_ups')

/** A mapping that was saved since then is looked at by the next check-up. */
const WAS_MENDED = sql`exists (
  select 1 from field_mappings where field_mappings.partner_id = partners.id and field_mappings.updated_at > checked_at)`

export const selectDoubted = prepared(() =>
  qb
    .select({
      partner_id: sql<string>`partner_id`,
      partner_name: sql<string>`name`,
      checked_at: sql<string>`checked_at`,
      kinds: sql<string>`kinds`,
    })
    .from(sql`(
      select check_ups.partner_id, name, checked_at, kinds from check_ups
      join partners on partners.id = check_ups.partner_id and deleted_at is null
      where kinds <> '[]' and checked_at >= ${checked_since} and ${sees_check_ups} and not ${WAS_MENDED}
      order by checked_at desc limit ${sql.raw(String(DOUBTED_MAX))})`),
)

/** A partner whose check-up has findings. */
export interface Doubted {
  partner_id: string
  partner_name: string
  checked_at: string
  kinds: PartnerDoubt[]
}

export function doubtedIn(rows: (typeof selectDoubted)['_']['result']): Doubted[] {
  return rows.map(({ kinds, ...row }) => ({ ...row, kinds: JSON.parse(kinds) }))
}

export const selectBackup = prepared(() =>
  qb.select({ backed_up_at: sql<string | null>`backed_up_at` }).from(sql`workspace`),
)
