import type * as z from 'zod'
import { LineDifferences, SeenAnswer } from '../../requests/line-differences/answers.ts'
import { SeenDifferences } from '../../requests/line-differences/schema.ts'
import { named } from '../components.ts'
import { endpoints, pageOf } from '../endpoint.ts'
import { because } from '../errors.ts'

named('LineDifferences', LineDifferences)
named('SeenDifferences', SeenDifferences)
named('SeenAnswer', SeenAnswer)

const ORDER = '0a2f9c1e-6d51-4b7c-9a55-3f4d8f8f6b10'
const REQUEST = '01a221c3-492c-73cb-97b3-b5098b481f2c'

const LISTED: z.output<typeof LineDifferences> = {
  order_id: ORDER,
  order_number: '30418',
  partner_id: '8f4f5a1e-6a43-4a4f-8f0a-54b1fd5f9a77',
  request_id: REQUEST,
  differences: [{ sku_code: 'MUG-2', stored: 2, sent: 3 }],
  total: 1,
  noted_at: '2026-11-21T12:07:50.269Z',
}

const PARTNER = 'A key that is linked to a partner gets 403.'

export const lineDifferencesReference = endpoints('settings', 'Webhooks', {
  'GET /line-differences/': {
    operationId: 'listLineDifferences',
    summary: 'List orders whose lines differ',
    description: `Returns the orders whose lines differ from those of the newest document that a webhook has brought, newest first, until somebody has seen it. The lines of an order cannot change, so Crossdock has kept them as they were. ${PARTNER}`,
    answer: pageOf('orders with their differences', LineDifferences, LISTED),
  },
  'POST /line-differences/{id}/seen/': {
    operationId: 'markLineDifferencesSeen',
    summary: 'Mark differences as seen',
    description: `Marks the differences of the order with this id as seen: the list has them no more. A later document with other lines shows its differences again. With \`request_id\`, only the differences of the document that this request has brought: if there are newer ones, the response is 409 \`IN_USE\`. You can repeat this request. ${PARTNER}`,
    body: { example: { request_id: REQUEST } },
    answer: {
      description: 'What is marked as seen.',
      data: SeenAnswer,
      example: { order_id: ORDER, request_id: REQUEST, seen_at: '2026-11-21T12:30:11.004Z' },
    },
    errors: {
      NOT_FOUND: because('UNKNOWN_RECORD', {
        message: `The order with the id "${ORDER}" has no differences.`,
      }),
      IN_USE: { message: 'A newer document with other lines has come since.' },
    },
  },
})
