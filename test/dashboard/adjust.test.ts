import { describe, expect, it } from 'vitest'
import { FORMS } from '../fixtures/forms.ts'
import { admin } from '../fixtures/opened.ts'
import { dashboard } from '../fixtures/opened-dashboard.ts'
import { markupOf, wordsOf } from '../fixtures/pages-read.ts'
import { openPartner } from '../fixtures/partner.ts'
import { openDashboard } from '../fixtures/session.ts'
import type { Json } from '../fixtures/tenant.ts'
import { createLocation, createProduct, stock } from '../fixtures/warehouse.ts'

const ADJUST = '/dashboard/inventory/adjust/'

/** Stock of one product at one location; without a quantity, no record. */
async function shelf(quantity?: number) {
  const { code: location_code } = await createLocation(admin)
  const { sku: sku_code } = await createProduct(admin)
  const pair = { location_code, sku_code }
  if (quantity !== undefined) await stock(admin, { ...pair, quantity })
  const shown = quantity === undefined ? '' : String(quantity)
  return {
    pair,
    page: `${ADJUST}?${new URLSearchParams(pair)}`,
    send: (fields: Record<string, string>) => dashboard.post(ADJUST, { ...pair, shown, ...fields }),
    history: async (api = admin): Promise<Json[]> =>
      (await api.get(`/inventory/${location_code}/history/`)).body.data,
    now: async () => (await admin.get(`/inventory/${location_code}/`)).body.data[0]?.quantity,
  }
}

describe('GET /dashboard/inventory/adjust/', () => {
  it('asks for the product and the location that the address does not name', async () => {
    const { pair } = await shelf(5)
    const { text } = await dashboard.get(`${ADJUST}?sku_code=${pair.sku_code}`)
    expect(text).toContain('<form method="get">')
    expect(text).toContain(`name="sku_code" value="${pair.sku_code}"`)
  })

  it('shows the quantity, and sends all that its form has', async () => {
    const { page } = await shelf(1234)
    const { text } = await dashboard.get(page)
    expect(text).toContain('<strong>1,234</strong>')
    const form = text.slice(text.indexOf('<main'))
    const names = [...form.matchAll(/<(?:input|select)\b[^>]* name="([^"]*)"/g)].map(
      ([, name]) => name,
    )
    expect(names.toSorted()).toEqual(Object.keys(FORMS[ADJUST] ?? {}).toSorted())
  })

  it('says which of the two is unknown', async () => {
    const { pair } = await shelf()
    const query = new URLSearchParams({ ...pair, sku_code: 'no such' })
    const answer = await dashboard.get(`${ADJUST}?${query}`)
    expect(answer.text).toContain('id="sku_code-error">No product has this SKU.')
    expect(answer.text).not.toContain('location_code-error')
  })

  it('is linked from each row of stock, for who may change it', async () => {
    const { pair, page } = await shelf(3)
    const list = `/dashboard/inventory/?location_code=${pair.location_code}`
    const link = `href="${page.replaceAll('&', '&amp;')}"`
    expect((await dashboard.get(list)).text).toContain(link)
    const reader = await openDashboard(['integrations.inventory.read'])
    expect((await reader.get(list)).text).not.toContain('adjust')
    expect((await reader.get(page)).status).toBe(403)
  })
})

describe('POST /dashboard/inventory/adjust/', () => {
  it('sets what was counted, and says who did it and why', async () => {
    const { pair, send, now, history } = await shelf(10)
    const answer = await send({ quantity: '7', reason: 'Damaged', words: 'A leak' })
    expect(answer.status).toBe(303)
    const page = await dashboard.get(answer.headers.get('Location') ?? '')
    expect(wordsOf(page)).toContain('The stock was adjusted.')
    expect(await now()).toBe(7)
    const [change] = await history()
    expect(change).toMatchObject({ from: 10, to: 7, source: 'manual_adjustment' })
    expect(change?.notes).toBe('Damaged: A leak')
    const at = `/dashboard/inventory/history/?location_code=${pair.location_code}`
    expect(wordsOf(await dashboard.get(at))).toContain('10 7 manual adjustment Damaged: A leak')
  })

  it.each([
    ['-3', 7],
    ['+12', 22],
    ['0', 10],
  ])('adds the difference %s', async (difference, expected) => {
    const { send, now } = await shelf(10)
    expect((await send({ difference })).status).toBe(303)
    expect(await now()).toBe(expected)
  })

  it('makes the first record of a pair', async () => {
    const { send, now, history } = await shelf()
    expect((await send({ difference: '4', reason: 'Received' })).status).toBe(303)
    expect(await now()).toBe(4)
    expect(await history()).toMatchObject([{ from: null, to: 4, notes: 'Received' }])
  })

  it.each([
    ['nothing', {}, 'quantity', 'Say how many there are, or the difference.'],
    [
      'both',
      { quantity: '1', difference: '1' },
      'difference',
      'Leave this empty, or the quantity.',
    ],
    ['a negative quantity', { quantity: '-1' }, 'quantity', 'Must be at least 0.'],
    ['words', { quantity: 'many' }, 'quantity', 'Must be an integer, not a string.'],
    ['a fraction', { difference: '1.5' }, 'difference', 'Must be an integer'],
    ['less than nothing', { difference: '-11' }, 'difference', 'There are 10: it would be -1.'],
    ['other reasons without words', { quantity: '1', reason: 'Other' }, 'words', 'Say why.'],
    ['a reason of its own', { quantity: '1', reason: 'Stolen' }, 'reason', 'Must be one of'],
  ])('refuses %s at its field', async (_, fields, name, message) => {
    const { send, now } = await shelf(10)
    const text = markupOf(await send(fields), 400)
    const [error = ''] = new RegExp(`id="${name}-error">[^<]*`).exec(text) ?? []
    expect(error.replaceAll('&quot;', '"')).toContain(message)
    expect(await now()).toBe(10)
  })

  it.each([
    [{ quantity: '9' }, 'name="quantity" value="9"'],
    [{ difference: '-1' }, 'name="difference" value="-1"'],
  ])(
    'changes nothing if another was faster, and asks again: %o',
    async (fields: Record<string, string>, kept) => {
      const { pair, send, now } = await shelf(10)
      await stock(admin, { ...pair, quantity: 12 })
      const answer = await send(fields)
      expect(await now()).toBe(12)
      const words = wordsOf(answer)
      expect(words).toContain('Another was faster. Nothing of yours was saved')
      expect(words).toContain('When you opened this, the quantity was 10. It is 12 now.')
      expect(answer.text).toContain(kept)
      expect(answer.text).toContain('name="shown" value="12"')
      expect((await send({ ...fields, shown: '12' })).status).toBe(303)
      expect(await now()).toBe(fields.quantity ? 9 : 11)
    },
  )

  it('lets one of two people win who count at once', async () => {
    const { send, now, history } = await shelf(10)
    const answers = await Promise.all(['4', '5'].map((quantity) => send({ quantity })))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 303])
    const won = answers[0]?.status === 303 ? 4 : 5
    expect(await now()).toBe(won)
    expect((await history()).map(({ to }) => to)).toEqual([won, 10])
  })

  it('adjusts the stock of a product that was just deactivated, and says that it is inactive', async () => {
    const { pair, page, send, now } = await shelf(10)
    await admin.delete(`/products/${pair.sku_code}/`)
    expect(wordsOf(await dashboard.get(page))).toContain('The product is inactive.')
    expect((await send({ quantity: '0' })).status).toBe(303)
    expect(await now()).toBe(0)
  })

  it('can be undone like any upload', async () => {
    const { send, now, history } = await shelf(10)
    await send({ quantity: '7' })
    const [change] = await history()
    const undone = await dashboard.post(`/dashboard/audit-log/${change?.request_id}/undo/`)
    expect(undone.status).toBe(303)
    expect(await now()).toBe(10)
  })

  it('tells a partner neither the reason nor the key', async () => {
    const { send, history } = await shelf(10)
    await send({ quantity: '7', words: 'Theft by K.' })
    const [change] = await history((await openPartner()).api)
    expect(change).toMatchObject({ to: 7, source: 'manual_adjustment', notes: null, api_key: null })
  })
})
