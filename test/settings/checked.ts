import { env } from 'cloudflare:workers'
import { beforeEach, expect } from 'vitest'
import type { Row } from '../fixtures/audit-rows.ts'
import { intercept } from '../fixtures/bindings.ts'
import { idOf, openKept, SETTINGS } from '../fixtures/kept-documents.ts'
import { type Answer, type CallOptions, type Json, openTenant, unique } from '../fixtures/tenant.ts'
import { insertKept } from './kept-requests.ts'

export const ALL = { of: 'all', days: 7 }
export const ERRORS = { of: 'errors', days: 7 }
const FIELDS = {
  order_number: 'number',
  'items[].sku_code': 'lines[].sku',
  'items[].quantity': 'lines[].qty',
}
export const MAPPING = { inbound: { unmapped: 'drop', fields: FIELDS } }

export let partner: Awaited<ReturnType<typeof openKept>>
export let sku: string

beforeEach(async () => {
  await openTenant()
  partner = await openKept(ALL, { mappings: { orders: MAPPING } })
  sku = unique('S')
  await partner.admin.post('/products/', { sku })
})

/** Another partner, without a mapping. */
export async function reopen(): Promise<void> {
  partner = await openKept(ALL)
}

export async function check(more?: CallOptions): Promise<Json> {
  const { status, body } = await partner.admin.get(
    `${SETTINGS}/partners/${partner.id}/check-up/`,
    more,
  )
  expect(status).toBe(200)
  return body
}

export async function found(...kinds: string[]): Promise<Json[]> {
  const { data, warnings } = await check()
  expect(warnings).toBeUndefined()
  return data.filter(({ kind }: Json) => kinds.includes(kind))
}

/** So many orders one after the other, with `more` beside what each has. */
export async function push(
  count: number,
  more: (n: number) => object = () => ({}),
  qty: (n: number) => unknown = () => 1,
): Promise<Answer[]> {
  const answers: Answer[] = []
  for (let n = 0; n < count; n++) {
    const order = { number: unique('O'), lines: [{ sku, qty: qty(n) }], ...more(n) }
    answers.push(await partner.api.post('/orders/', order))
  }
  return answers
}

/** As `push`, of requests that have come already. Returns their ids. */
export async function seed(
  count: number,
  more: (n: number) => object = () => ({}),
  qty: (n: number) => unknown = () => 1,
  row: Row = {},
): Promise<string[]> {
  const rows = Array.from({ length: count }, (_, n) => ({
    path: '/api/integrations/v1/orders/',
    ...row,
    body: { number: `O-${n}`, lines: [{ sku, qty: qty(n) }], ...more(n) },
  }))
  return await insertKept(partner.id, rows)
}

export const idsOf = (answers: Answer[]) => answers.map(idOf).toReversed().slice(0, 5)

/** The bucket, with what is done in place of these of its calls. */
export const bucketWith = (watches: Parameters<typeof intercept>[1]): CallOptions => ({
  bindings: { ...env, DOCUMENTS: intercept(env.DOCUMENTS, watches) },
})

export const stock = (quantity: number) => ({
  inventory: [{ location_code: 'nowhere', sku_code: 'nothing', quantity }],
})
