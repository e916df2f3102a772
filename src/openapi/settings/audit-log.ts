import * as z from 'zod'
import { csvLine } from '../../engine/answers/csv.ts'
import { DOCUMENT_REASONS, OUTCOMES } from '../../engine/db/tables.ts'
import { notInLog } from '../../engine/log/not-in-log.ts'
import { CSV_COLUMNS, cellsOf } from '../../requests/audit-log/csv.ts'
import { named, ShownFieldErrors, ShownProblem } from '../components.ts'
import { endpoints, pageOf } from '../endpoint.ts'
import { because } from '../errors.ts'

const Subject = z.object({ id: z.string(), name: z.string() })

export const ShownDocumentState = named(
  'DocumentState',
  z.object({
    state: z.enum(['kept', 'not_kept']),
    until: z.string().optional(),
    reason: z.enum(DOCUMENT_REASONS).optional(),
  }),
)

const Row = z.object({
  request_id: z.string(),
  created_at: z.string(),
  api_key: Subject,
  partner: Subject.nullable(),
  method: z.string(),
  path: z.string(),
  record_name: z.string().nullable(),
  status: z.int(),
  error_code: z.string().nullable(),
  message: z.string().nullable(),
  duration_ms: z.int().min(0),
  replay_of: z.string().nullable(),
  delivery: z
    .object({
      outcome: z.enum(OUTCOMES).nullable(),
      event: z.string().nullable(),
      sender_id: z.string().nullable(),
    })
    .nullable(),
  dry_run: z.boolean(),
  source: z.string().nullable(),
  notes: z.string().nullable(),
  document: ShownDocumentState.nullable(),
  counts: z
    .object({
      total: z.int(),
      created: z.int(),
      updated: z.int(),
      failed: z.int(),
      unchanged: z.int().optional(),
    })
    .nullable(),
})

const AuditRow = named('AuditRow', Row)

const RowErrors = z.array(
  z.object({
    row: z.int(),
    errors: ShownFieldErrors,
    source: z.record(z.string(), z.string()).optional(),
  }),
)

const LoggedRequest = named(
  'LoggedRequest',
  Row.extend({
    details: z
      .object({
        fields: ShownFieldErrors.optional(),
        source: z.record(z.string(), z.string()).optional(),
        problems: z.array(ShownProblem).optional(),
        errors: RowErrors.optional(),
        records: RowErrors.optional(),
        truncated: z.literal(true).optional(),
        total: z.int().optional(),
      })
      .nullable(),
  }),
)

const UPLOAD = {
  request_id: '5f0c1c9e-7d7b-4c39-8a35-0f2b1f6f3f57',
  created_at: '2026-11-21T12:07:50.269Z',
  api_key: { id: '1c3f8f52-20f4-4f0c-9d55-7b0f3f0f1f01', name: 'Nordvik' },
  partner: { id: '8f4f5a1e-6a43-4a4f-8f0a-54b1fd5f9a77', name: 'Nordvik ERP' },
  method: 'POST',
  path: '/api/integrations/v1/inventory/',
  record_name: null,
  status: 200,
  error_code: null,
  message: '1 of 2 rows failed.',
  duration_ms: 14,
  replay_of: null,
  delivery: null,
  dry_run: false,
  source: 'erp_sync',
  notes: null,
  document: { state: 'kept' as const, until: '2026-11-28T12:07:50.269Z' },
  counts: { total: 2, created: 1, updated: 0, failed: 1 },
}

const CSV = csvLine(CSV_COLUMNS) + csvLine(cellsOf({ seq: 1, wide_bytes: null, ...UPLOAD }))

export const auditLogReference = endpoints('settings', 'Audit log', {
  'GET /audit-log/': {
    operationId: 'listAuditLog',
    summary: 'List the audit log',
    description:
      "Returns every request of every known key, newest first, including refused ones. `api_key_id`, `partner_id`, `record_name`, `record_name_prefix` and `request_id` have an index. A page compares at most 100,000 rows with the other filters, and may then end before it is full: see `pagination.searched_to`. The row of a write is stored together with the write; rows of reads and refusals follow a moment later. A row must match all filters that you send.\n\n`format=csv` returns the rows as CSV (RFC 4180, UTF-8), with the names of the columns in the first line and members of objects as columns of their own (`api_key_id`, `counts_failed`). The next page is in the `Link` header: go on until it is absent, also after a page without rows. `X-Searched-To` is what `searched_to` is in JSON. A text that a spreadsheet would run as a formula begins with `'`. A parameter without effect is 400, because CSV has no warnings.",
    answer: {
      ...pageOf('the audit log', AuditRow, UPLOAD),
      page: 'search',
      csv: CSV,
    },
  },
  'GET /audit-log/{id}/': {
    operationId: 'retrieveRequest',
    summary: 'Retrieve a request of the audit log',
    description:
      'Returns what the audit log holds about one request, with what was at fault if it failed. `id` is its `request_id`. The row of a refused request follows a moment after its response.',
    answer: {
      description: 'The request.',
      data: LoggedRequest,
      example: {
        ...UPLOAD,
        details: {
          errors: [{ row: 1, errors: { sku_code: ['No product has the SKU "MUG-2".'] } }],
        },
      },
    },
    errors: {
      NOT_FOUND: because('UNKNOWN_RECORD', { message: notInLog(UPLOAD.request_id).message }),
    },
  },
})
