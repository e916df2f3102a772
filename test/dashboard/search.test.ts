import { beforeAll, describe, expect, it } from 'vitest'
import { admin } from '../fixtures/opened.ts'
import { dashboard } from '../fixtures/opened-dashboard.ts'
import { markupOf, nextIn, roundTrips } from '../fixtures/pages-read.ts'
import { openPartner, saveMapping } from '../fixtures/partner.ts'
import { openDashboard } from '../fixtures/session.ts'
import { openOther } from '../fixtures/signed-in.ts'
import { type Answer, createKey, type Json, unique } from '../fixtures/tenant.ts'

const SEARCH = '/dashboard/search/'
const HOSTILE = `"><script>alert(1)</script>'`

let sku: string

beforeAll(async () => {
  sku = unique('SKU')
  await admin.post('/products/', { sku })
})

const find = (text: string, of = dashboard) => of.get(`${SEARCH}?q=${encodeURIComponent(text)}`)
const targetOf = ({ headers }: Answer) => headers.get('Location')
const newOrder = async (order: Json = {}, by = admin) =>
  (
    await by.post('/orders/', {
      order_number: unique('O'),
      items: [{ sku_code: sku, quantity: 1 }],
      ...order,
    })
  ).body.data
const headings = (text: string) => [...text.matchAll(/<h2>(.*?)<\/h2>/g)].map(([, name]) => name)

describe('GET /dashboard/search/', () => {
  it('shows what begins with the text, in groups, with links', async () => {
    const text = unique('Find')
    const order = await newOrder({ order_number: `${text}-1`, customer_name: 'Ada Lund' })
    const named = await newOrder({ customer_name: `${text.toUpperCase()} & Co` })
    const product = (await admin.post('/products/', { sku: `${text}-S` })).body.data
    const location = (await admin.post('/locations/', { code: unique('L'), zone: `${text} zone` }))
      .body.data
    const answer = await find(text)
    expect(answer.status).toBe(200)
    expect(headings(answer.text)).toEqual(['Orders', 'Products', 'Locations'])
    for (const path of [
      `orders/${order.id}`,
      `orders/${named.id}`,
      `products/${product.id}`,
      `locations/${location.id}`,
    ]) {
      expect(answer.text).toContain(`<a href="/dashboard/${path}/">`)
    }
    expect(answer.text).toMatch(/data-label="Found by"[^>]*>order number /)
    expect(answer.text).toMatch(/data-label="Found by"[^>]*>customer name /)
    expect(answer.text).toContain(`${text.toUpperCase()} &amp; Co`)
    expect(answer.text).toMatch(new RegExp(`<input type="search" name="q" value="${text}"`))
    expect(answer.text).not.toContain('Not searched')
  })

  it('leads to the one record with this identifier, whatever begins with it', async () => {
    const { id, order_number } = await newOrder()
    await newOrder({ order_number: `${order_number}-2` })
    const answer = await find(` ${order_number} `)
    expect([answer.status, targetOf(answer)]).toEqual([303, `/dashboard/orders/${id}/`])
    expect(targetOf(await find(id))).toBe(`/dashboard/orders/${id}/`)
    const product = (await admin.post('/products/', { sku: unique('P') })).body.data
    expect(targetOf(await find(product.sku))).toBe(`/dashboard/products/${product.id}/`)
    const location = (await admin.post('/locations/', { code: unique('L') })).body.data
    expect(targetOf(await find(location.code))).toBe(`/dashboard/locations/${location.id}/`)
  })

  it("leads to the order by a partner's own identifier", async () => {
    const partner = await openPartner({
      mappings: { orders: { identifier_field: 'metadata.shop' } },
    })
    const shop = unique('shop')
    const { id } = await newOrder({ metadata: { shop } }, partner.api)
    expect(targetOf(await find(shop))).toBe(`/dashboard/orders/${id}/`)
    expect((await find(shop.slice(0, -1))).text).toContain(`metadata.shop <small>${shop}</small>`)
  })

  it('finds nothing by an identifier that its partner has given up, and all else', async () => {
    const mapping = { identifier_field: 'metadata.gone' }
    const partner = await openPartner({ mappings: { orders: mapping } })
    const gone = unique('gone')
    const { id, order_number } = await newOrder({ metadata: { gone } }, partner.api)
    expect(targetOf(await find(gone))).toBe(`/dashboard/orders/${id}/`)
    await saveMapping(admin, partner.id, 'orders', { identifier_field: null })
    expect((await find(gone)).text).toContain(
      'Nothing is, begins with, or has a word that begins with',
    )
    expect(targetOf(await find(order_number))).toBe(`/dashboard/orders/${id}/`)
  })

  it('leads to a request by its id, and by no part of it', async () => {
    const refused = await admin.post('/orders/', {})
    const { request_id } = refused.body
    expect(targetOf(await find(request_id))).toBe(`/dashboard/audit-log/${request_id}/`)
    expect((await find(request_id.slice(0, -1))).status).toBe(200)
  })

  it('leads to a record by a whole name only if nothing else matches', async () => {
    const name = unique('Ada')
    const { id } = await newOrder({ customer_name: name })
    expect(targetOf(await find(name.toLowerCase()))).toBe(`/dashboard/orders/${id}/`)
    await newOrder({ customer_name: `${name} Lund` })
    const text = markupOf(await find(name))
    expect(text).toContain(`${name} Lund`)
  })

  it('finds a word of a name and a part of a number, and says which', async () => {
    const name = unique('Lund').replaceAll('-', '')
    const part = unique('30418').replaceAll('-', '')
    const named = await newOrder({ customer_name: `Ada ${name}` })
    const numbered = await newOrder({ order_number: `KERAMIK-${part}-B` })
    for (const [text, order, foundBy] of [
      [name.slice(0, -1), named, 'a word of the customer name'],
      [part.slice(0, -1), numbered, 'a part of the order number'],
    ] as const) {
      const { status, text: page } = await find(text)
      expect(status).toBe(200)
      expect(headings(page)).toEqual(['Orders'])
      expect(page).toContain(`<a href="/dashboard/orders/${order.id}/">`)
      expect(page).toMatch(new RegExp(`data-label="Found by"[^>]*>${foundBy} `))
    }
  })

  it('leads to the order by a whole word only if nothing else matches', async () => {
    const part = unique('30418').replaceAll('-', '')
    const { id } = await newOrder({ order_number: `KERAMIK-${part}-B` })
    expect(targetOf(await find(part))).toBe(`/dashboard/orders/${id}/`)
    expect((await find(part.slice(0, -1))).status).toBe(200)
    const other = await newOrder({ order_number: part })
    expect(targetOf(await find(part))).toBe(`/dashboard/orders/${other.id}/`)
    await newOrder({ order_number: `GLAS-${part}-C` })
    expect(targetOf(await find(part))).toBe(`/dashboard/orders/${other.id}/`)
    const word = unique('Berg').replaceAll('-', '')
    await newOrder({ customer_name: `Ada ${word}` })
    await newOrder({ customer_name: `Eva ${word}` })
    expect((await find(word)).status).toBe(200)
  })

  it('shows several records that have the text, and leads to none of them', async () => {
    const text = unique('Same')
    await newOrder({ order_number: text })
    await admin.post('/products/', { sku: text })
    expect(headings((await find(text)).text)).toEqual(['Orders', 'Products'])
  })

  it('shows ten of each group, and the way to all', async () => {
    const text = unique('Many')
    for (let n = 0; n < 12; n++) await admin.post('/products/', { sku: `${text}-${n}` })
    const { text: page } = await find(text)
    expect(page.match(/<th scope="row">/g)).toHaveLength(10)
    const all = `/dashboard/products/?search=${text}`
    expect(page).toContain(`<a href="${all}">All products that match</a>`)
    expect((await dashboard.get(all)).text.match(/<th scope="row">/g)).toHaveLength(12)
  })

  it('takes one round trip once the isolate knows the identifier fields', async () => {
    await find('warm')
    expect(roundTrips(await find('none'))).toBe(1)
    await openPartner({ mappings: { orders: { identifier_field: 'metadata.trip' } } })
    await find('warm')
    expect(roundTrips(await find('none'))).toBe(1)
  })

  it('says what can be found when nothing is asked, or nothing found', async () => {
    for (const answer of [await dashboard.get(SEARCH), await find('  '), await find('nothing')]) {
      expect(answer.status).toBe(200)
      expect(answer.text).toContain('order number, external order id')
      expect(answer.text).toContain('code, name, zone or aisle')
    }
    expect((await find('nothing')).text).toContain(
      'Nothing is, begins with, or has a word that begins with “nothing”.',
    )
  })

  it('leads from nothing found to where a missing order may be, as far as the key may see it', async () => {
    const [waits, refused] = ['/dashboard/deliveries/">what waits', 'range=7d&amp;status=4xx">']
    const audit = await openDashboard(['integrations.*', 'settings.audit.read'])
    const reader = await openDashboard(['integrations.orders.read'])
    for (const [of, hasWaiting, hasRefused] of [
      [dashboard, true, true],
      [audit, false, true],
      [reader, false, false],
    ] as const) {
      const { text } = await find('nothing', of)
      expect([text.includes(waits), text.includes(refused)]).toEqual([hasWaiting, hasRefused])
    }
  })

  it.each([
    ['300 characters', 'x'.repeat(300), 'Must have at most 255 characters.'],
    ['a control character', 'a\u0000b', 'Must not have control characters'],
  ])('refuses %s, on the page', async (_, text, message) => {
    const answer = await find(text)
    expect(answer.status).toBe(400)
    expect(answer.text).toContain(message)
    expect(answer.text).toContain('<h1>Search</h1>')
  })

  it('does not search for an API key, nor show it', async () => {
    const { value } = await createKey()
    const answer = await find(value)
    expect(answer.status).toBe(400)
    expect(answer.text).toContain('This is an API key.')
    expect(answer.text).not.toContain(value)
  })

  it('shows hostile text as text', async () => {
    await newOrder({ customer_name: `${HOSTILE} one` })
    await newOrder({ customer_name: `${HOSTILE} two` })
    const { text } = await find(HOSTILE)
    expect(text).toContain('&lt;script&gt;alert(1)')
    expect(text).not.toContain('<script>alert')
  })

  it.each([
    [['integrations.orders.read'], ['Orders']],
    [['integrations.products.read', 'settings.keys.read'], ['Products']],
    [['integrations.*'], ['Orders', 'Products', 'Locations']],
    [['settings.read'], []],
  ])('shows a key with %j no other group', async (scopes, groups) => {
    const text = unique('Scoped')
    await newOrder({ order_number: `${text}-1` })
    await admin.post('/products/', { sku: `${text}-1` })
    await admin.post('/locations/', { code: `${text}-1` })
    const session = await openDashboard(scopes)
    const answer = await find(text, session)
    expect(answer.status).toBe(200)
    expect(headings(answer.text)).toEqual(groups)
    expect(answer.text).toContain('Not searched, because you lack the scope: ')
    expect(answer.text.split(`${text}-1`).length > 1).toBe(groups.length > 0)
  })

  it('is refused to a key that may see no group, which gets no field either', async () => {
    const session = await openDashboard(['settings.keys.read', 'integrations.inventory.read'])
    const answer = await find('x', session)
    expect(answer.status).toBe(403)
    expect(answer.text).toContain(
      'needs one of the scopes integrations.orders.read, integrations.products.read, integrations.locations.read, settings.audit.read.',
    )
    expect(answer.text).not.toContain('type="search"')
    expect((await dashboard.get('/dashboard/workspace/')).text).toContain(
      'action="/dashboard/search/"',
    )
  })
})

describe.each([
  ['orders', 'order_number', (text: string) => newOrder({ order_number: text })],
  ['products', 'sku', (text: string) => admin.post('/products/', { sku: text })],
  ['locations', 'code', (text: string) => admin.post('/locations/', { code: text })],
] as const)('GET /dashboard/%s/ with search', (resource, _, create) => {
  const list = `/dashboard/${resource}/`
  const namesIn = (text: string) =>
    [...text.matchAll(/<th scope="row">.*?<a [^>]*>(.*?)<\/a>/gs)].map(([, name]) => name)

  it('shows all matches, page by page', async () => {
    const text = unique('List')
    for (const n of [1, 2, 3]) await create(`${text}-${n}`)
    await find('warm')
    const all: (string | undefined)[] = []
    let at: string | undefined = `${list}?search=${text}&limit=2`
    while (at) {
      const answer = await dashboard.get(at)
      // The stock of the products that are found is read after them.
      const trips = resource === 'products' ? 2 : 1
      expect([answer.status, roundTrips(answer)]).toEqual([200, trips])
      all.push(...namesIn(answer.text))
      at = nextIn(answer)
    }
    expect(all.toSorted()).toEqual([1, 2, 3].map((n) => `${text}-${n}`))
  })

  it('says that nothing matches', async () => {
    const text = markupOf(await dashboard.get(`${list}?search=nothing`))
    expect(text).toContain(
      resource === 'orders'
        ? 'Nothing is, begins with, or has a word that begins with “nothing”.'
        : 'Nothing is, or begins with, “nothing”.',
    )
    expect(text).not.toContain('<summary>Filters')
  })

  it('refuses a search with filters', async () => {
    const filter = resource === 'orders' ? 'status=pending' : 'is_active=all'
    const text = markupOf(await dashboard.get(`${list}?search=x&${filter}`), 400)
    expect(text).toContain('Search or filter, not both')
  })

  it('refuses 300 characters, and a cursor of another search', async () => {
    const long = await dashboard.get(`${list}?search=${'x'.repeat(300)}`)
    expect([long.status, long.text.includes('at most 255 characters')]).toEqual([400, true])
    const other = await dashboard.get(`${list}?search=x&cursor=abc`)
    expect([other.status, other.text.includes('Not a cursor of this search')]).toEqual([400, true])
  })

  it('refuses the cursor of another tenant', async () => {
    const text = unique('Other')
    for (const n of [1, 2]) await create(`${text}-${n}`)
    const page = await dashboard.get(`${list}?search=${text}&limit=1`)
    const next = nextIn(page) ?? ''
    const stranger = await openOther()
    expect((await dashboard.get(next)).status).toBe(200)
    expect((await stranger.get(next)).status).toBe(400)
  })
})
