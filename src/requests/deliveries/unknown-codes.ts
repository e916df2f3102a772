import { desc, sql } from 'drizzle-orm'
import { waitingDeliveries } from '../../engine/db/delivery-tables.ts'
import { itemCodes } from '../../engine/db/item-code-tables.ts'
import { newestRows } from '../../engine/db/log-look-ups.ts'
import { qb } from '../../engine/db/prepared.ts'
import { auditLog } from '../../engine/db/tables.ts'
import type { TenantDatabase } from '../../engine/db/transact.ts'
import { DAY_MS } from '../../engine/json/date-time.ts'
import type { CodeKind } from '../../engine/mapping/item-code.ts'
import { codesNamedIn } from '../../records/item-codes.ts'

/** At most so many codes are listed. */
const CODES_MAX = 50
/** So many of the newest requests are read, and so many refused ones among them are looked through. */
const REQUESTS_MAX = 5000
const REFUSED_MAX = 500
const REFUSED_MS = 7 * DAY_MS

/** An item code that a partner has sent, and that nobody has entered. */
export interface UnknownCode {
  code: string
  /** How many records wait for it. */
  waiting: number
  /** How many requests were refused for it, among the newest of the last 7 days. */
  refused: number
}

/** Whose codes, and what of them may be seen. */
interface Asked {
  partnerId: string
  kind: CodeKind
  seesWaiting: boolean
  seesLog: boolean
}

/** The unknown codes of a partner, those for which the most waits first. */
export async function findUnknownCodes(db: TenantDatabase, asked: Asked): Promise<UnknownCode[]> {
  const { partnerId, kind, seesWaiting, seesLog } = asked
  const needs = kind === 'products' ? 'product_code' : 'location_code'
  const [waiting, refused] = await db.read([
    selectWaiting(needs, partnerId),
    selectRefused(partnerId),
  ])
  const found = new Map<string, UnknownCode>()
  const at = (code: string) => {
    const known = found.get(code) ?? { code, waiting: 0, refused: 0 }
    found.set(code, known)
    return known
  }
  for (const { code, records } of seesWaiting ? waiting : []) at(code ?? '').waiting = records
  for (const { details } of seesLog ? refused : []) {
    const codes = new Set(codesNamedIn(textsIn(details), kind))
    for (const code of codes) at(code).refused += 1
  }
  const entered = await enteredAmong(db, { partnerId, kind }, [...found.keys()])
  return [...found.values()]
    .filter(({ code }) => !entered.has(code))
    .toSorted((one, other) => other.waiting - one.waiting || other.refused - one.refused)
    .slice(0, CODES_MAX)
}

/** Along the index of needs. */
function selectWaiting(needs: 'product_code' | 'location_code', partnerId: string) {
  const records = sql<number>`count(*)`.as('records')
  return qb
    .select({ code: waitingDeliveries.needs_code, records })
    .from(waitingDeliveries)
    .where(sql`needs = ${needs} and partner_id = ${partnerId}`)
    .groupBy(waitingDeliveries.needs_code)
    .orderBy(desc(records))
    .limit(CODES_MAX)
}

function selectRefused(partner_id: string) {
  const since = new Date(Date.now() - REFUSED_MS).toISOString()
  return (
    qb
      .select({ details: auditLog.details })
      .from(newestRows({ partner_id }, sql`created_at >= ${since}`, REQUESTS_MAX))
      // A delivery that was kept has a row of its own among those that wait.
      .where(sql`error_code = 'SERVICE_ERROR' and outcome is null and not dry_run`)
      .limit(REFUSED_MAX)
  )
}

/** All texts of a value, a line each. */
function textsIn(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value !== 'object' || value === null) return ''
  return Object.values(value).map(textsIn).join('\n')
}

async function enteredAmong(
  db: TenantDatabase,
  { partnerId, kind }: Pick<Asked, 'partnerId' | 'kind'>,
  codes: string[],
): Promise<Set<string>> {
  if (codes.length === 0) return new Set()
  const [rows] = await db.read([
    qb
      .select({ code: itemCodes.code })
      .from(itemCodes)
      .where(
        sql`partner_id = ${partnerId} and kind = ${kind}
          and code in (select value from json_each(${JSON.stringify(codes)}))`,
      ),
  ])
  return new Set(rows.map(({ code }) => code))
}
