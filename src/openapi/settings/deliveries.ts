import * as z from 'zod'
import {
  DeliveryAnswer,
  ListedDelivery,
  WaitingDelivery,
} from '../../requests/deliveries/answers.ts'
import { ApplyDeliveries } from '../../requests/deliveries/schema.ts'
import { LineDifferences, SeenAnswer } from '../../requests/line-differences/answers.ts'
import { SeenDifferences } from '../../requests/line-differences/schema.ts'
import { named } from '../components.ts'
import { endpoints, pageOf } from '../endpoint.ts'
import { unknownRecord } from '../errors.ts'

named('ApplyDeliveries', ApplyDeliveries)
named('ListedDelivery', ListedDelivery)
named('WaitingDelivery', WaitingDelivery)
named('DeliveryAnswer', DeliveryAnswer)

const ID = '01a221c3-492c-73cb-97b3-b5098b481f2c'

const LISTED: z.output<typeof ListedDelivery> = {
  delivery_id: ID,
  request_id: ID,
  webhook_id: '1c3f8f52-20f4-4f0c-9d55-7b0f3f0f1f01',
  partner_id: '8f4f5a1e-6a43-4a4f-8f0a-54b1fd5f9a77',
  resource: 'orders',
  record: '30418',
  event: 'order.created',
  sender_id: null,
  needs: 'product',
  needs_code: 'MUG-2',
  error_code: 'SERVICE_ERROR',
  message: 'line_items[0].sku: No product has the SKU "MUG-2".',
  tries: 0,
  is_due: false,
  due_at: null,
  created_at: '2026-11-21T12:07:50.269Z',
  ends_at: '2026-12-21T12:07:50.269Z',
  bytes: 512,
}

const APPLIED: z.output<typeof DeliveryAnswer> = {
  delivery_id: ID,
  request_id: '0dbb3967-6349-4f01-8196-f6d8f846e3f5',
  status: 200,
  outcome: 'created',
  record: '30418',
  reason: null,
  error: null,
}

const NOT_FOUND = unknownRecord(`No delivery with the id "${ID}" waits.`)
const PARTNER = 'A key that is linked to a partner gets 403.'

named('LineDifferences', LineDifferences)
named('SeenDifferences', SeenDifferences)
named('SeenAnswer', SeenAnswer)

const ORDER = '0a2f9c1e-6d51-4b7c-9a55-3f4d8f8f6b10'

const DIFFERING: z.output<typeof LineDifferences> = {
  order_id: ORDER,
  order_number: '30418',
  partner_id: '8f4f5a1e-6a43-4a4f-8f0a-54b1fd5f9a77',
  request_id: ID,
  differences: [{ sku_code: 'MUG-2', stored: 2, sent: 3 }],
  total: 1,
  noted_at: '2026-11-21T12:07:50.269Z',
}

export const deliveriesReference = endpoints('settings', 'Webhooks', {
  'GET /deliveries/': {
    operationId: 'listDeliveries',
    summary: 'List the deliveries that wait',
    description: `Returns the deliveries that could not be applied and were kept, newest first. The audit log has those that were applied. ${PARTNER}`,
    answer: pageOf('deliveries', ListedDelivery, LISTED),
  },
  'GET /deliveries/{id}/': {
    operationId: 'findDelivery',
    summary: 'Retrieve a delivery that waits',
    description: `Returns the delivery with its body as it was sent. ${PARTNER}`,
    answer: {
      description: 'The delivery.',
      data: WaitingDelivery,
      example: {
        ...LISTED,
        headers: { 'x-shop-domain': 'keramik.example' },
        query: {},
        content_type: 'application/json',
        body: '{"number": "30418"}',
      },
    },
    errors: { NOT_FOUND },
  },
  'POST /deliveries/{id}/apply/': {
    operationId: 'applyDelivery',
    summary: 'Try a delivery now',
    description: `Tries it as its webhook: a request of its own in the audit log. If it still cannot be applied, it waits on, and \`error\` says why. ${PARTNER}`,
    answer: { description: 'What became of it.', data: DeliveryAnswer, example: APPLIED },
    errors: { NOT_FOUND },
  },
  'POST /apply-deliveries/': {
    operationId: 'applyDeliveries',
    summary: 'Try several deliveries now',
    description: `Tries the deliveries that match all filters, at most 20, the oldest first. ${PARTNER}`,
    body: { example: { needs_code: 'MUG-2' } },
    answer: {
      description: 'What became of each.',
      data: z.array(DeliveryAnswer),
      example: [APPLIED],
    },
  },
  'POST /deliveries/{id}/dismiss/': {
    operationId: 'dismissDelivery',
    summary: 'Dismiss a delivery',
    description: `Ends its waiting without applying it. The audit log says so. ${PARTNER}`,
    answer: {
      description: 'The dismissed delivery.',
      data: z.object({ delivery_id: z.string(), outcome: z.literal('dismissed') }),
      example: { delivery_id: ID, outcome: 'dismissed' },
    },
    errors: { NOT_FOUND },
  },
  'GET /line-differences/': {
    operationId: 'listLineDifferences',
    summary: 'List orders whose lines differ',
    description: `Returns the orders whose lines differ from those of the newest document that a webhook has brought, newest first, until somebody has seen it. The lines of an order cannot change, so Crossdock has kept them as they were. ${PARTNER}`,
    answer: pageOf('orders with their differences', LineDifferences, DIFFERING),
  },
  'POST /line-differences/{id}/seen/': {
    operationId: 'markLineDifferencesSeen',
    summary: 'Mark differences as seen',
    description: `Marks the differences of the order with this id as seen: the list has them no more. A later document with other lines shows its differences again. With \`request_id\`, only the differences of the document that this request has brought: if there are newer ones, the response is 409 \`IN_USE\`. You can repeat this request. ${PARTNER}`,
    body: { example: { request_id: ID } },
    answer: {
      description: 'What is marked as seen.',
      data: SeenAnswer,
      example: { order_id: ORDER, request_id: ID, seen_at: '2026-11-21T12:30:11.004Z' },
    },
    errors: {
      NOT_FOUND: unknownRecord(`The order with the id "${ORDER}" has no differences.`),
      IN_USE: { message: 'A newer document with other lines has come since.' },
    },
  },
})
