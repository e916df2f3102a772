import * as z from 'zod'
import { notInLog } from '../../engine/log/not-in-log.ts'
import { RESOURCES } from '../../engine/mapping/identifier.ts'
import { named } from '../components.ts'
import { endpoints, pageOf } from '../endpoint.ts'
import { because } from '../errors.ts'

const ID = '5f0c1c9e-7d7b-4c39-8a35-0f2b1f6f3f57'
const NEW_ID = '0dbb3967-6349-4f01-8196-f6d8f846e3f5'
const UNKNOWN = because('UNKNOWN_RECORD', { message: notInLog(ID).message })

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

export const undoReference = endpoints('settings', 'Audit log', {
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
    errors: { NOT_FOUND: UNKNOWN },
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
        request_id: NEW_ID,
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
      NOT_FOUND: UNKNOWN,
      PRECONDITION_FAILED: {
        message: `The product is at version 9, and the request "${ID}" made version 8: it has changed since, so nothing was undone.`,
      },
    },
  },
})
