import { expect } from 'vitest'
import { admin } from '../fixtures/opened.ts'
import type { Answer, Json } from '../fixtures/tenant.ts'
import { makePartner, at as mappingAt } from './mappings.ts'

export const LISTED = 1000

export const at = (id: string, resource = 'orders') => `${mappingAt(id, resource)}preview/`

/** Previews for a new partner without a mapping. */
export async function preview(body: unknown, resource = 'orders'): Promise<Answer> {
  return await admin.post(at(await makePartner(), resource), body)
}

/** As `preview`, with a draft of inbound rules; gives `data`. */
export async function draft(fields: object, payload: object, more: Json = {}, resource = 'orders') {
  const { unmapped, ...others } = more
  const inbound = { fields, ...(unmapped && { unmapped }) }
  return dataOf(await preview({ mapping: { inbound }, payload, ...others }, resource))
}

export function dataOf(answer: Answer): Json {
  expect([answer.status, answer.body.error]).toEqual([200, undefined])
  expect(answer.body.success).toBe(true)
  const members = [
    'mapped',
    'problems',
    'errors',
    'provenance',
    'would_answer',
    'unread',
    'records',
  ]
  // Item codes are told only where there are some.
  const told = Object.keys(answer.body.data).filter((name) => name !== 'item_codes')
  expect(told).toEqual(members)
  return answer.body.data
}
