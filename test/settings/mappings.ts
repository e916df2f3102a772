import { expect } from 'vitest'
import { admin, db } from '../fixtures/opened.ts'
import { expectRefusal } from '../fixtures/refusal.ts'
import { type Answer, type Json, unique } from '../fixtures/tenant.ts'

export const PARTNERS = '/api/settings/v1/partners/'

export const fieldsWarned = ({ body }: Answer) => body.warnings?.map(({ field }: Json) => field)

export const at = (id: string, resource = '') =>
  `${PARTNERS}${id}/mappings/${resource && `${resource}/`}`

export async function makePartner(): Promise<string> {
  const { status, body } = await admin.post(PARTNERS, { name: unique('partner') })
  expect(status).toBe(201)
  return body.data.id
}

export async function savedOf(id: string): Promise<Json[]> {
  const rows = await db
    .prepare('select * from field_mappings where partner_id = ? order by resource')
    .bind(id)
    .all()
  return rows.results
}

/** Saves rules of one resource for a new partner. */
export async function putFields(fields: object, resource = 'orders', direction = 'inbound') {
  const id = await makePartner()
  const answer = await admin.put(at(id, resource), { [direction]: { fields } })
  expect((await savedOf(id)).length).toBe(answer.status === 200 ? 1 : 0)
  return answer
}

/** 400 that names these rules and nothing else, each with a sentence. */
export function expectRefusedRules(answer: Answer, direction: string, ...rules: string[]) {
  expectRefusal(answer, 400, 'VALIDATION_ERROR')
  const { fields } = answer.body.error
  const names = rules.map((rule) => `${direction}.fields.${rule}`)
  expect(Object.keys(fields).toSorted()).toEqual(names.toSorted())
  for (const [message] of Object.values(fields) as [string][]) {
    expect(message).toMatch(/^["\p{L}].*[.:]/su)
    expect(message).not.toMatch(/undefined|\[object|Symbol/)
  }
}

export const FULL = {
  identifier_field: 'external_order_id',
  inbound: {
    unmapped: 'reject',
    fields: {
      order_number: 'header.number',
      external_order_id: { from: 'header.id', required: true },
      'items[].sku_code': '$.lines[*].article.code',
      'items[].quantity': { from: 'lines[].qty', required: false },
      "metadata['a key.with odd-chars']": 'refs[-1].id',
      'metadata.source': { value: { a: [1, null, 'é'] } },
      notes: { value: null },
    },
  },
  outbound: {
    unmapped: 'keep',
    fields: { nummer: 'order_number', 'zeilen[].menge': 'items[].quantity' },
  },
}
