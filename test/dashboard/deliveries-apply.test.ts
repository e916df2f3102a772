import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { APPLIED_MAX } from '../../src/requests/deliveries/schema.ts'
import { sessionOf } from '../faults/page.ts'
import { openDashboard, withCookie } from '../fixtures/session.ts'
import { type Answer, createKey, unique } from '../fixtures/tenant.ts'
import { fieldsOf } from './form-fields.ts'
import { wordsOf } from './mapping-forms.ts'
import { create, dashboard, shop, waiting } from './waiting.ts'

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
