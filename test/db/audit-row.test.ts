import { sql } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import {
  closeAuditRow,
  NO_DOCUMENT,
  openAuditRow,
  ownRowValues,
} from '../../src/engine/db/audit-row.ts'
import { bound } from '../../src/engine/db/prepared.ts'

const SUBJECT = {
  request_id: 'request',
  created_at: '2026-11-01T00:00:00.000Z',
  settings_version: 7,
  api_key_id: 'key',
  api_key_name: 'a key',
  partner_id: null,
  partner_name: null,
  session_id: null,
  method: 'POST',
  replay_of: null,
  dry_run: false,
  outcome: null,
  sender_event: null,
  sender_id: null,
  path: '/api/integrations/v1/orders/',
}

/** A body's fields, as if they were values for the whole batch. */
const FOREIGN = {
  ...{ created_at: 'x', settings_version: 'x', api_key_id: 'x', api_key_name: 'x', method: 'x' },
  ...{ partner_id: 'x', partner_name: 'x', path: 'x', status: 'x', record_id: 'x' },
  ...{ source: 'x', notes: 'x', rows_total: 'x', rows_created: 'x', error_code: 'x' },
  ...{ document_until: 'x', document_reason: 'x', if_failed: 'x', dry_run: 'x' },
  ...{ record_name: 'x', message: 'x', details: 'x', error_fields: 'x' },
}
const values = { ...FOREIGN, ...ownRowValues(SUBJECT), own_partner_id: null, own_session_id: null }

const document = { ...NO_DOCUMENT, ifFailed: false }
const UPLOAD = { source: 'erp', notes: null, rows_total: 1 }

describe('the audit row of a write', () => {
  it('takes nothing of a batch but its request id', () => {
    for (const record of ['record', sql`(select id from orders)`]) {
      const opened = bound(openAuditRow(SUBJECT, { record, status: 201, document }), values)
      expect(opened.params).not.toContain('x')
      expect(opened.params).toContain('request')
    }
    const outcome = { record: 'record', status: 201, upload: UPLOAD, document }
    const [closing] = closeAuditRow(SUBJECT, outcome)
    const closed = bound(closing as NonNullable<typeof closing>, values)
    expect(closed.params).not.toContain('x')
    expect(closed.params).toEqual(expect.arrayContaining([SUBJECT.created_at, 'request']))
  })

  it('is closed only if the write decides what it says', () => {
    const outcome = { record: 'record', status: 201, document }
    expect(closeAuditRow(SUBJECT, outcome)).toEqual([])
    for (const more of [{ upload: UPLOAD }, { names: 'any' as const }, { holds: sql`true` }]) {
      expect(closeAuditRow(SUBJECT, { ...outcome, ...more })).toHaveLength(1)
    }
  })

  it('names a record by what the batch brings for it', () => {
    const record = sql`(select id from orders where order_number = ${sql.placeholder('identifier')})`
    const opened = bound(
      openAuditRow(SUBJECT, { record, status: 200, names: 'orders', document }),
      {
        ...values,
        identifier: 'O-1',
      },
    )
    expect(opened.params).toContain('O-1')
  })
})
