import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { APPLIED_MAX } from '../../src/requests/deliveries/schema.ts'
import { sessionOf } from '../faults/page.ts'
import { dashboard } from '../fixtures/opened-dashboard.ts'
import { wordsOf } from '../fixtures/pages-read.ts'
import { openDashboard, withCookie } from '../fixtures/session.ts'
import { type Answer, createKey, unique } from '../fixtures/tenant.ts'
import { openWebhook } from '../fixtures/webhooks.ts'
import { fieldsOf } from './form-fields.ts'
import { API, create, PATH as DELIVERIES, isWaiting, READ, shop, waiting } from './waiting.ts'

const PATH = '/dashboard/apply-deliveries/'

const ask = (sku: string) => dashboard.get(`${PATH}?needs_code=${sku}`)
const confirm = (page: Answer, sku: string) =>
  dashboard.post(`${PATH}?needs_code=${sku}`, fieldsOf(page.text, 'confirmation'))
const goOn = (page: Answer, sku: string) =>
  dashboard.post(`${PATH}?needs_code=${sku}`, fieldsOf(page.text, 'sending'))

describe('GET /dashboard/apply-deliveries/', () => {
  it('asks, with the number of those that match', async () => {
    const sku = unique('SKU')
    await waiting(sku)
    await waiting(sku)
    await waiting(unique('SKU'))
    expect(wordsOf(await ask(sku))).toContain('Try 2 deliveries now?')
  })

  it('says that there is nothing to try', async () => {
    expect(wordsOf(await ask(unique('SKU')))).toContain('There is nothing to try')
  })
})

describe('POST /dashboard/apply-deliveries/', () => {
  it('applies those that can be applied, and says of the others why they wait', async () => {
    const sku = unique('SKU')
    const [one, other] = [await waiting(sku), await waiting(sku)]
    const asked = await ask(sku)
    await create(sku)
    await shop.admin.put(`/orders/${other.number}/`, {})
    const done = await confirm(asked, sku)
    expect(wordsOf(done)).toContain('2 of 2 deliveries are done: 2 applied.')
    expect((await shop.partner.api.get(`/orders/${one.number}/`)).status).toBe(200)
    const lacking = unique('SKU')
    const { id } = await waiting(lacking)
    const still = await confirm(await ask(lacking), lacking)
    expect(wordsOf(still)).toContain('1 of 1 deliveries are done: 1 still waiting.')
    expect(wordsOf(still)).toMatch(/Still waiting .*No product has the SKU/)
    expect(still.text).toContain(`href="/dashboard/deliveries/${id}/"`)
  })

  it('goes on in parts, and applies none twice if a form is sent twice', async () => {
    const sku = unique('SKU')
    for (let n = 0; n <= APPLIED_MAX; n++) await waiting(sku)
    const asked = await ask(sku)
    await create(sku)
    const first = await confirm(asked, sku)
    expect(wordsOf(first)).toContain(
      `${APPLIED_MAX} of ${APPLIED_MAX + 1} deliveries are done: ${APPLIED_MAX} applied.`,
    )
    expect(first.text).toContain('data-goes-on')
    const second = await goOn(first, sku)
    expect(wordsOf(second)).toContain(
      `${APPLIED_MAX + 1} of ${APPLIED_MAX + 1} deliveries are done`,
    )
    const again = await goOn(first, sku)
    expect(wordsOf(again)).toMatch(/1 nothing to do any more.*It did not wait any more/)
  })

  it('leaves out of the run what was dismissed meanwhile', async () => {
    const sku = unique('SKU')
    const { id, number } = await waiting(sku)
    const asked = await ask(sku)
    await create(sku)
    await shop.admin.post(`/api/settings/v1/deliveries/${id}/dismiss/`, {})
    expect(wordsOf(await confirm(asked, sku))).toContain('1 nothing to do any more')
    expect((await shop.partner.api.get(`/orders/${number}/`)).status).toBe(404)
  })

  it('is refused without the scope', async () => {
    const reader = await openDashboard(['settings.documents.read'])
    expect((await reader.get(PATH)).status).toBe(403)
    const run = { run: crypto.randomUUID(), ids: crypto.randomUUID(), results: '[]' }
    expect((await reader.post(PATH, run)).status).toBe(403)
  })

  it.each([
    ['nothing', {}],
    ['no id of a run', { run: 'x', ids: crypto.randomUUID(), results: '[]' }],
    ['no ids', { run: crypto.randomUUID(), ids: 'x', results: '[]' }],
    [
      'results of another run',
      { run: crypto.randomUUID(), ids: crypto.randomUUID(), results: '[[1]]' },
    ],
  ])('is 400 for a form with %s', async (_, fields) => {
    expect((await dashboard.post(PATH, fields)).status).toBe(400)
  })
})

describe('a delivery that somebody dismisses while another one applies it', () => {
  it('is either dismissed or applied', async () => {
    const sku = unique('SKU')
    const { id, number } = await waiting(sku)
    await create(sku)
    const dismiss = () => shop.admin.post(`/api/settings/v1/deliveries/${id}/dismiss/`, {})
    // In between: the try has read the delivery, and has not written yet.
    let dismissed = false
    const DB_DEMO = new Proxy(env.DB_DEMO, {
      get(database, name) {
        const member: unknown = Reflect.get(database, name)
        if (name !== 'batch') return typeof member === 'function' ? member.bind(database) : member
        return async (statements: D1PreparedStatement[]) => {
          if (!dismissed && statements.length > 8) {
            dismissed = true
            expect((await dismiss()).status).toBe(200)
          }
          return await database.batch(statements)
        }
      },
    })
    const { id: key_id } = await createKey(['settings.*'])
    const cookie = await sessionOf(key_id)
    const person = withCookie(cookie, { bindings: { ...env, DB_DEMO } })
    const answer = await person.post(`/dashboard/deliveries/${id}/apply/`)
    expect(dismissed).toBe(true)
    expect((await shop.partner.api.get(`/orders/${number}/`)).status).toBe(404)
    expect(answer.status).toBe(303)
    const row = await shop.admin.get(`/api/settings/v1/audit-log/${id}/`)
    expect(row.body.data.delivery.outcome).toBe('dismissed')
  })
})

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
    at: `${DELIVERIES}${id}/`,
    row: (n: number) => `${DELIVERIES}${id}.${n}/`,
    create,
    stock,
  }
}

describe('a row of an upload that waits by itself', () => {
  it('is in the list by its pair, and has a page with its need and the request of its upload', async () => {
    const sku = unique('SKU')
    const { code, id, row } = await uploaded(sku)
    const list = await dashboard.get(`${DELIVERIES}?needs_code=${sku}`)
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
    expect(tried.text).toContain(`href="${DELIVERIES}${id}/"`)
    const request = await dashboard.get(`/dashboard/audit-log/${id}/`)
    expect(request.text).toContain(`href="${DELIVERIES}${id}/"`)
    const upload = await dashboard.get(`${DELIVERIES}${id}/`)
    expect(wordsOf(upload)).toContain('does not wait any more: uploaded')
    expect(upload.text).toContain(`href="${row(0)}"`)
  })

  it('is dismissed alone: the other rows of its upload wait on', async () => {
    const { id, row } = await uploaded(unique('SKU'), unique('SKU'))
    expect(wordsOf(await dashboard.get(`${row(0)}dismiss/`))).toContain(
      'Dismiss the delivery of stock',
    )
    const answer = await dashboard.post(`${row(0)}dismiss/`)
    expect(answer.headers.get('Location')).toBe(`${DELIVERIES}?done=delivery-dismissed`)
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
        (await openDashboard()).post(`${row(0)}dismiss/`),
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
