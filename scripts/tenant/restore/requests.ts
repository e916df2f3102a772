import * as z from 'zod'
import { keyOf } from '../../../src/engine/log/documents/store.ts'
import { literal } from '../rows.ts'
import type { Ask } from './facts.ts'

const PAGE_ROWS = 10_000
// A row of the log may be stored so much later than its created_at (src/engine/db/log-position.ts).
const STORED_MS_MAX = 10 * 60 * 1000
const READING = ['GET', 'HEAD', 'RESTORE']

const Row = z.object({
  request_id: z.string(),
  created_at: z.string(),
  method: z.string(),
  path: z.string(),
  status: z.number(),
  record_id: z.string().nullish(),
  record_name: z.string().nullish(),
  api_key_name: z.string(),
  partner_id: z.string().nullish(),
  partner_name: z.string().nullish(),
  document_until: z.number().nullish(),
})
const COLUMNS = Object.keys(Row.shape).join(', ')
const Last = z.object({ seq: z.number(), created_at: z.string() })

/** A request that changed something, from the audit log. */
export interface Write {
  request_id: string
  created_at: string
  method: string
  path: string
  status: number
  record_id: string | null
  record_name: string | null
  api_key: string
  partner: string | null
  /** The object of the environment's bucket that has the document; null if none is kept. */
  document: string | null
}

/** Rows of this time on may be of requests since the time. */
export function storedFrom(since: string): string {
  return new Date(Date.parse(since) - STORED_MS_MAX).toISOString()
}

/**
 * The requests in the database that may have changed something since the time, oldest first; also some from shortly before
 * it.
 */
export async function writesSince(ask: Ask, tenant: string, since: string): Promise<Write[]> {
  const from = storedFrom(since)
  const writes: Write[] = []
  for (let below = Number.MAX_SAFE_INTEGER; ; ) {
    const page = `FROM audit_log WHERE seq < ${below} ORDER BY seq DESC LIMIT`
    const [rows = [], [last] = []] = await ask([
      `SELECT ${COLUMNS} FROM (SELECT * ${page} ${PAGE_ROWS})
        WHERE status < 400 AND method NOT IN (${READING.map(literal)}) AND created_at >= '${from}'
        ORDER BY seq DESC`,
      `SELECT seq, created_at ${page} 1 OFFSET ${PAGE_ROWS - 1}`,
    ])
    writes.push(...rows.map((row) => writeOf(tenant, Row.parse(row))))
    const { data: end } = Last.safeParse(last)
    if (!end || end.created_at < from) return writes.toReversed()
    below = end.seq
  }
}

/** As `writesSince`, of a line of the archive; null if the line is of another request. */
export function writeIn(line: string, tenant: string, since: string): Write | null {
  const row = Row.parse(JSON.parse(line))
  const isWrite = row.status < 400 && !READING.includes(row.method)
  return isWrite && row.created_at >= storedFrom(since) ? writeOf(tenant, row) : null
}

function writeOf(tenant: string, row: z.output<typeof Row>): Write {
  const { request_id, created_at, method, path, status } = row
  const partner_id = row.partner_id ?? null
  return {
    request_id,
    created_at,
    method,
    path,
    status,
    record_id: row.record_id ?? null,
    record_name: row.record_name ?? null,
    api_key: row.api_key_name,
    partner: row.partner_name ?? null,
    document:
      typeof row.document_until === 'number'
        ? keyOf({ tenant, created_at, partner_id, request_id })
        : null,
  }
}
