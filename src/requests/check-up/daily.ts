import { sql } from 'drizzle-orm'
import type { Job } from '../../engine/cron/job.ts'
import { callersOf } from '../../engine/db/log-look-ups.ts'
import { qb } from '../../engine/db/prepared.ts'
import { checkUps, PARTNER_DOUBTS, type PartnerDoubt } from '../../engine/db/tables.ts'
import { DAY_MS, HOUR_MS } from '../../engine/json/date-time.ts'
import { NO_DOCUMENTS } from './check-up.ts'
import { EVIDENCE_QUERIES, readEvidence } from './evidence.ts'
import type { Finding } from './finding.ts'
import { findingsIn } from './findings.ts'

/** Of a tenant in a day: each may read some 40,000 rows. Those that were looked at longest ago come first. */
const PARTNERS_A_DAY = 50
/** So that the 50 tenants of a run have a chunk each. */
const PARTNERS_A_CHUNK = 2
/** A partner that was checked within this time is not due. */
const TURN_MS = 12 * HOUR_MS

/**
 * Looks for what is wrong with each partner that has sent something in the last day, for the overview. It looks at no
 * documents: each is a call of R2.
 */
export const partnerCheckUps: Job = {
  name: 'check_ups',
  event: 'partner_check_ups',
  counts: ['partners_checked', 'partners_doubted'],
  queries_max: 2 + PARTNERS_A_CHUNK * EVIDENCE_QUERIES,
  calls_max: 0,
  async work({ connection, now, add }) {
    const [due] = await connection.batch([selectDue(now)])
    const found: (typeof checkUps.$inferInsert)[] = []
    const at = Date.parse(now)
    for (const { partner_id } of due) {
      const asked = { partner_id, now: at, withDocuments: false }
      const evidence = await readEvidence((queries) => connection.batch(queries), asked)
      const findings = evidence ? findingsIn(evidence, NO_DOCUMENTS, at) : []
      found.push({ partner_id, checked_at: now, kinds: doubtsAmong(findings) })
    }
    if (found.length === 0) return false
    await connection.batch([store(found)])
    add('partners_checked', found.length)
    add('partners_doubted', found.filter(({ kinds }) => kinds.length > 0).length)
    return due.length === PARTNERS_A_CHUNK
  },
}

function doubtsAmong(findings: Finding[]): PartnerDoubt[] {
  return PARTNER_DOUBTS.filter((kind) => findings.some((finding) => finding.kind === kind))
}

/** Reads the newest entry of each caller of the tenant. */
function selectDue(now: string) {
  const ago = (ms: number) => new Date(Date.parse(now) - ms).toISOString()
  const turn = ago(TURN_MS)
  return qb.select({ partner_id: sql<string>`partner_id` }).from(sql`(
    with recursive ${callersOf({})}, senders (partner_id) as (
      select distinct substr(caller, instr(caller, ' ') + 1) from own
      where (select max(created_at) from audit_log as log where log.caller = own.caller) >= ${ago(DAY_MS)}
    )
    select senders.partner_id from senders
    join partners on partners.id = senders.partner_id and deleted_at is null
    left join check_ups on check_ups.partner_id = senders.partner_id
    where (checked_at is null or checked_at < ${turn})
      and (select count(*) from check_ups where checked_at >= ${turn}) < ${PARTNERS_A_DAY}
    order by checked_at limit ${PARTNERS_A_CHUNK})`)
}

function store(found: (typeof checkUps.$inferInsert)[]) {
  return qb
    .insert(checkUps)
    .values(found)
    .onConflictDoUpdate({
      target: checkUps.partner_id,
      set: { checked_at: sql`excluded.checked_at`, kinds: sql`excluded.kinds` },
    })
}
