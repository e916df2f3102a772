import * as z from 'zod'
import { csvLine } from '../../engine/answers/csv.ts'
import { DOCUMENT_REASONS, OUTCOMES } from '../../engine/db/tables.ts'
import { notInLog } from '../../engine/log/not-in-log.ts'
import { RESOURCES } from '../../engine/mapping/identifier.ts'
import { CSV_COLUMNS, cellsOf } from '../../requests/audit-log/csv.ts'
import { named, ShownFieldErrors, ShownProblem } from '../components.ts'
import { endpoints, pageOf } from '../endpoint.ts'
import { because, thrown } from '../errors.ts'

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

const ID = '5f0c1c9e-7d7b-4c39-8a35-0f2b1f6f3f57'
export const NOT_IN_LOG = thrown(notInLog(ID))

const UPLOAD = {
  request_id: ID,
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

const RequestChange = named(
  'RequestChange',
  z.object({
    resource: z.enum(RESOURCES),
    record_name: z.string().nullable(),
    location_code: z.string().nullable(),
    sku_code: z.string().nullable(),
    field: z.string(),
    from: z.unknown(),
    to: z.unknown(),
  }),
)

const ChangedSince = named(
  'ChangedSince',
  z.object({
    location_code: z.string(),
    sku_code: z.string(),
    from: z.int().nullable(),
    to: z.int(),
    quantity: z.int(),
  }),
)

const Undo = named(
  'Undo',
  z.object({
    request_id: z.string(),
    undone: z.string(),
    restored: z.int().min(0),
    zeroed: z.int().min(0),
    changed_since: z.array(ChangedSince),
    changed_since_total: z.int().min(0),
  }),
)

const PAIR = { location_code: 'A-01-1', sku_code: 'TEA-EARLGREY-100' }

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
    errors: { ...NOT_IN_LOG },
  },
  'GET /audit-log/{id}/changes/': {
    operationId: 'listRequestChanges',
    summary: 'List what a request changed',
    description:
      "Returns each value that an upload of stock, or a PUT of an order, product or location, replaced, with what it was before; and the same of a request that took another one back. `id` is the request's `request_id`. Empty for a request that changed nothing, and for other kinds of requests. If the request is older than the workspace remembers (`undo_days`), the list is empty as well, and `warnings` says so. Also needs the `read` scope of the resource that the request changed. To a key with `own_orders_only`, a request that changed another order does not exist.",
    answer: pageOf('changes, in the order in which they are stored', RequestChange, {
      resource: 'inventory',
      record_name: null,
      ...PAIR,
      field: 'quantity',
      from: 120,
      to: 96,
    }),
    errors: { ...NOT_IN_LOG },
  },
  'POST /audit-log/{id}/undo/': {
    operationId: 'undoRequest',
    summary: 'Undo a request',
    description:
      'Undoes an upload of stock, or a PUT of an order, product or location. `id` is its `request_id`. After an upload, each pair that still has the quantity from the upload gets its former quantity back. A pair that the upload created gets 0, and its record stays. `changed_since` lists the pairs that were changed since; they stay as they are. If all pairs have their former quantity already, `restored` and `zeroed` are 0. A PUT is undone as a whole, with the lines that the status `verified` changed, but only if nobody has changed the record since; otherwise 412 `PRECONDITION_FAILED`. `SERVICE_ERROR` if the request replaced nothing, if it is older than the workspace remembers (`undo_days`), or if it shipped or cancelled an order. An undo is one transaction, has its own row in the audit log, and can be undone as well. It works while the integrations API is switched off. Also needs the `write` scope of the resource. To a key with `own_orders_only`, a request that changed another order does not exist.',
    answer: {
      description: 'What was undone.',
      data: Undo,
      example: {
        request_id: '0dbb3967-6349-4f01-8196-f6d8f846e3f5',
        undone: ID,
        restored: 4_182,
        zeroed: 12,
        changed_since: [{ ...PAIR, from: 120, to: 96, quantity: 90 }],
        changed_since_total: 1,
      },
    },
    errors: {
      SERVICE_ERROR: because('CANNOT_UNDO', {
        message: `The request "${ID}" cannot be undone: it has replaced nothing. Uploads of stock and PUTs of orders, products and locations can be undone, if they changed something.`,
      }),
      ...NOT_IN_LOG,
      PRECONDITION_FAILED: {
        message: `The product is at version 9, and the request "${ID}" made version 8: it has changed since, so nothing was undone.`,
      },
    },
  },
})
