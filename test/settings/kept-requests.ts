import { env } from 'cloudflare:workers'
import { storeDocument } from '../../src/engine/log/documents/store.ts'
import { insertRequests, type Row } from '../fixtures/audit-rows.ts'

/** A request as it would have left its row and its document. */
export interface KeptRow extends Row {
  body: unknown
  redacted?: string[]
}

/** Requests of the partner from now on, a millisecond apart, oldest first. Returns their ids. */
export async function insertKept(partner_id: string, rows: KeptRow[]): Promise<string[]> {
  const now = Date.now()
  const until = now + 86_400_000
  const full = rows.map(({ body, redacted = [], ...row }, n) => ({
    row: {
      request_id: crypto.randomUUID(),
      created_at: new Date(now + n).toISOString(),
      partner_id,
      method: 'POST',
      status: 201,
      document_until: until,
      ...row,
    },
    document: {
      content_type: 'application/json',
      body: typeof body === 'string' ? body : JSON.stringify(body),
      encoding: 'utf-8' as const,
      answer: { status: 201, body: '{"success": true}' },
      redacted,
      until,
    },
  }))
  await Promise.all(
    full.map(({ row, document }) =>
      storeDocument(env.DOCUMENTS, { tenant: 'demo', ...row }, document),
    ),
  )
  await insertRequests(full.map(({ row }) => row))
  return full.map(({ row }) => row.request_id)
}
