import { describe, expect, it } from 'vitest'
import { openDashboard } from '../fixtures/session.ts'
import { unique } from '../fixtures/tenant.ts'
import { openWebhook } from '../fixtures/webhooks.ts'
import { fieldsOf } from './form-fields.ts'
import { wordsOf } from './mapping-forms.ts'
import { ALL, API, dashboard, isWaiting, PATH, READ } from './waiting.ts'

const APPLY = '/dashboard/apply-deliveries/'
const RULES = {
  resource: 'inventory',
  ...{ actions: {}, event: null, take_if: null, cancel_if: null, changed_at: null },
}

/** An upload of stock whose rows, one for each SKU, lack their product. */
async function uploaded(...skus: string[]) {
  const of = await openWebhook({ rules: RULES, mappings: {} })
  const code = unique('L')
  await of.partner.api.post('/locations/', { code })
  const inventory = skus.map((sku_code, n) => ({ location_code: code, sku_code, quantity: n + 1 }))
  const { body } = await of.deliver({ inventory })
  expect(body.data).toMatchObject({ outcome: 'uploaded', waiting: skus.length })
  const id = body.data.delivery_id as string
  const create = (sku: string) => of.partner.api.post('/products/', { sku })
  const stock = async () => (await of.partner.api.get(`/inventory/${code}/`)).body.data.length
  return {
    of,
    code,
    id,
    at: `${PATH}${id}/`,
    row: (n: number) => `${PATH}${id}.${n}/`,
    create,
    stock,
  }
}

describe('a row of an upload that waits by itself', () => {
  it('is in the list by its pair, and has a page with its need and the request of its upload', async () => {
    const sku = unique('SKU')
    const { code, id, row } = await uploaded(sku)
    const list = await dashboard.get(`${PATH}?needs_code=${sku}`)
    expect(list.text).toContain(`href="${row(0)}"`)
    expect(wordsOf(list)).toContain(`stock ${code} / ${sku}`)
    const page = await dashboard.get(row(0))
    expect(wordsOf(page)).toContain(`Delivery of stock ${code} / ${sku}`)
    expect(wordsOf(page)).toContain(`It waits for the product ${sku}`)
    expect(page.text).toContain(`href="/dashboard/audit-log/${id}/"`)
    expect(page.text).not.toContain(`/dashboard/audit-log/${id}.0/`)
  })

  it('is applied on its page, and the page says afterwards that it does not wait', async () => {
    const [sku, other] = [unique('SKU'), unique('SKU')]
    const { id, row, create, stock } = await uploaded(sku, other)
    await create(sku)
    const applied = await dashboard.post(`${row(0)}apply/`)
    expect(applied.status).toBe(303)
    const page = await dashboard.get(applied.headers.get('Location') ?? '')
    expect(wordsOf(page)).toContain('Outcome uploaded')
    expect([await stock(), await isWaiting(`${id}.1`)]).toEqual([1, true])
    const ended = await dashboard.get(row(0))
    expect(ended.status).toBe(200)
    expect(wordsOf(ended)).toContain('No row of this number waits.')
    expect(wordsOf(ended)).toContain('Tried again')
    expect(ended.text).toContain(`href="${row(1)}"`)
  })

  it('waits on if it lacks something else, and its page and the page of its try lead on', async () => {
    const sku = unique('SKU')
    const { id, row } = await uploaded(sku)
    const answer = await dashboard.post(`${row(0)}apply/`)
    expect(answer.headers.get('Location')).toBe(`${row(0)}?done=delivery-waits`)
    const page = await dashboard.get(row(0))
    expect(wordsOf(page)).toContain('Tried again 1 ')
    const tries = [...page.text.matchAll(/href="(\/dashboard\/audit-log\/[^"]+\/)"/g)]
    const tried = await dashboard.get(tries.find(([, at]) => !at?.includes(id))?.[1] ?? '')
    expect(tried.text).toContain(`href="${PATH}${id}/"`)
    const request = await dashboard.get(`/dashboard/audit-log/${id}/`)
    expect(request.text).toContain(`href="${PATH}${id}/"`)
    const upload = await dashboard.get(`${PATH}${id}/`)
    expect(wordsOf(upload)).toContain('does not wait any more: uploaded')
    expect(upload.text).toContain(`href="${row(0)}"`)
  })

  it('is dismissed alone: the other rows of its upload wait on', async () => {
    const { id, row } = await uploaded(unique('SKU'), unique('SKU'))
    expect(wordsOf(await dashboard.get(`${row(0)}dismiss/`))).toContain(
      'Dismiss the delivery of stock',
    )
    const answer = await dashboard.post(`${row(0)}dismiss/`)
    expect(answer.headers.get('Location')).toBe(`${PATH}?done=delivery-dismissed`)
    expect([await isWaiting(`${id}.0`), await isWaiting(`${id}.1`)]).toEqual([false, true])
    const late = await dashboard.post(`${row(0)}dismiss/`)
    expect([late.status, wordsOf(late)]).toEqual([
      404,
      expect.stringContaining('Rows that waited have ended without being applied'),
    ])
    expect(await isWaiting(`${id}.1`)).toBe(true)
  })

  it('is tried with others that match, also in a form with the results of an earlier part', async () => {
    const sku = unique('SKU')
    const one = await uploaded(sku)
    const asked = await dashboard.get(`${APPLY}?needs_code=${sku}`)
    await one.create(sku)
    const fields = fieldsOf(asked.text, 'confirmation')
    const done = await dashboard.post(`${APPLY}?needs_code=${sku}`, fields)
    expect([done.status, wordsOf(done)]).toEqual([
      200,
      expect.stringContaining('1 of 1 deliveries are done: 1 applied.'),
    ])
    expect(await one.stock()).toBe(1)
    const before = [[`${one.id}.0`, '', null, 'uploaded', '']]
    const results = JSON.stringify(before)
    const next = { ...fields, ids: `${one.id}.1`, results }
    expect((await dashboard.post(APPLY, next)).status).toBe(200)
  })

  it.each(['x.1', '.1', 'ID.', 'ID.x', 'ID.1.1'])('is not called %s in a form: 400', async (id) => {
    const ids = id.replace('ID', crypto.randomUUID())
    const fields = { run: crypto.randomUUID(), ids, results: '[]' }
    expect((await dashboard.post(APPLY, fields)).status).toBe(400)
  })

  it('is applied or dismissed, not both', async () => {
    for (let round = 0; round < 5; round++) {
      const sku = unique('SKU')
      const { id, row, create, stock } = await uploaded(sku)
      await create(sku)
      const [, dismissed] = await Promise.all([
        dashboard.post(`${row(0)}apply/`),
        (await openDashboard(ALL)).post(`${row(0)}dismiss/`),
      ])
      expect(await stock()).toBe(dismissed.status === 303 ? 0 : 1)
      expect(await isWaiting(`${id}.0`)).toBe(false)
    }
  })

  it('is 404 once it has ended for a key that may not see the log', async () => {
    const { of, id, row } = await uploaded(unique('SKU'))
    await of.admin.post(`${API}/${id}.0/dismiss/`, {})
    expect((await (await openDashboard(READ)).get(row(0))).status).toBe(404)
  })
})
