import { expect } from 'vitest'
import { admin } from '../fixtures/opened.ts'
import { expectRefusal } from '../fixtures/refusal.ts'
import { allRows } from '../fixtures/sql.ts'
import type { Answer, Json } from '../fixtures/tenant.ts'
import { makePartner as newPartner, PARTNERS } from './partners.ts'

export const fieldsWarned = ({ body }: Answer) =>
  body.warnings?.map(({ field }: Json) => field) ?? []

export const at = (id: string, resource = '') =>
  `${PARTNERS}${id}/mappings/${resource && `${resource}/`}`

export const makePartner = async (): Promise<string> => (await newPartner()).id

export async function savedOf(id: string): Promise<Json[]> {
  return await allRows('select * from field_mappings where partner_id = ? order by resource', id)
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
