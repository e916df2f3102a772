import { expect } from 'vitest'
import type { Answer, Json } from '../../fixtures/tenant.ts'
import { dataOf, ID, path, TIME } from '../../fixtures/warehouse.ts'
import { valueAt } from './paths.ts'
import { openShape, type Shape } from './shapes.ts'

export const UNREAD = 'The mapping does not read it: it had no effect.'

export function item(sku: string, quantity: number, notes: string | null) {
  const verified = { verified_quantity: 0, verification_status: 'pending' }
  return { id: ID, sku: { sku }, quantity, notes, ...verified }
}

export function newOrder(fields: object) {
  const none = { cancelled_at: null, cancel_reason: null }
  return { id: ID, status: 'pending', created_at: TIME, updated_at: TIME, ...none, ...fields }
}

export function namesOf(answer: Answer): string[] {
  return answer.body.warnings.map(({ field }: Json) => field)
}

/** Posts the document; gives the whole order, as it is without any mapping. */
export async function place(shape: Shape, edit: (document: Json) => Json = (document) => document) {
  const opened = await openShape(shape)
  const document = edit(opened.document)
  const answer = await opened.api.post('/orders/', document)
  dataOf(answer, 201)
  const number = valueAt(document, shape.number)
  const whole = async () => dataOf(await opened.admin.get(path('orders', number)), 200)
  const identifier = String(valueAt(document, shape.identifier))
  return { ...opened, document, answer, identifier, whole, order: await whole() }
}

/** Posts the document, which must be refused and leave no order behind. */
export async function refuse(shape: Shape, edit: (document: Json) => Json): Promise<Answer> {
  const { api, admin, document } = await openShape(shape)
  const answer = await api.post('/orders/', edit(document))
  const left = await admin.get(path('orders', valueAt(document, shape.number)))
  expect(left.status).toBe(404)
  expect(answer.body.detail).toBe(answer.body.error.message)
  return answer
}

export function expectMappingError(answer: Answer, ...problems: object[]) {
  expect({ status: answer.status, error: answer.body.error }).toStrictEqual({
    status: 422,
    error: { code: 'MAPPING_ERROR', message: expect.any(String), problems },
  })
}

/** Every rule that goes through this place says that its value is of the wrong kind; gives the rules. */
export function expectWrongKind(
  answer: Answer,
  at: string,
  expected: string,
  found: string,
): string[] {
  const { problems } = answer.body.error
  const wrong = expect.objectContaining({ reason: 'TYPE_MISMATCH', at, expected, found })
  expectMappingError(answer, ...problems.map(() => wrong))
  return problems.map(({ rule }: Json) => rule)
}

export function expectFieldError(
  answer: Answer,
  field: string,
  source: string,
  message: string | RegExp,
  { code = 'VALIDATION_ERROR', reason }: { code?: string; reason?: string } = {},
) {
  expect({ status: answer.status, error: answer.body.error }).toStrictEqual({
    status: 400,
    error: {
      code,
      ...(reason !== undefined && { reason }),
      message: expect.any(String),
      fields: { [field]: [typeof message === 'string' ? message : expect.stringMatching(message)] },
      source: { [field]: source },
    },
  })
}
