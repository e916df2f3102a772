import { describe, expect, it } from 'vitest'
import { admin } from '../fixtures/opened.ts'
import { dashboard } from '../fixtures/opened-dashboard.ts'
import { openPartner } from '../fixtures/partner.ts'
import { linksIn, openDashboard } from '../fixtures/session.ts'
import { type Answer, createKey, unique } from '../fixtures/tenant.ts'
import { createLocation, createProduct } from '../fixtures/warehouse.ts'
import { carriedBy, goOn, importAll, importOf, numbersOf, wordsOf } from './imports.ts'

const productNow = async (sku: string) =>
  (await admin.get(`/products/${encodeURIComponent(sku)}/`)).body.data
const idOf = ({ headers }: Answer) => headers.get('X-Request-Id')
const check = (document: string, resource = 'products') =>
  dashboard.post(importOf(resource), { document })

describe('GET /dashboard/import/:resource/', () => {
  it.each(['products', 'locations', 'inventory'])(
    'is linked from the list of %s for who may write',
    async (resource) => {
      const list = `/dashboard/${resource}/`
      expect(linksIn((await dashboard.get(list)).text)).toContain(importOf(resource))
      const reader = await openDashboard([`integrations.${resource}.read`])
      expect(linksIn((await reader.get(list)).text)).not.toContain(importOf(resource))
      expect((await reader.get(importOf(resource))).status).toBe(403)
      const document = 'sku\nX'
      expect((await reader.post(importOf(resource), { document })).status).toBe(403)
    },
  )

  it('says which columns the table has, and what an empty cell means', async () => {
    const words = wordsOf(await dashboard.get(importOf('products')))
    expect(words).toContain('id, sku, quantity, is_active, cost, custom_fields')
    expect(words).toContain('an empty cell leaves the field as it is')
  })
})

describe.each([
  ['products', 'sku'],
  ['locations', 'code'],
  ['inventory', 'location_code;sku_code;quantity'],
])('POST /dashboard/import/%s/ of more than 10 MB', (resource, head) => {
  const large = 'A'.repeat(10 * 1024 * 1024)

  it('says that the form is too large, and offers it again', async () => {
    const page = await check(`${head}\n${large}`, resource)
    expect(page.status).toBe(413)
    const words = wordsOf(page)
    expect(words).toMatch(/larger than|too large|at most/)
    expect(page.text).toContain('name="document"')
    // What was sent is not sent back.
    expect(page.text.length).toBeLessThan(100_000)
  })

  it('imports nothing of it', async () => {
    const fields = { run: crypto.randomUUID(), results: '{}', rows: large }
    const sent = resource === 'inventory' ? { rows: large } : fields
    const page = await dashboard.post(`${importOf(resource)}run/`, sent)
    expect(page.status).toBe(413)
  })

  it('reads a form just below the limit', async () => {
    const page = await check(`${head}\n${large.slice(1000)}`, resource)
    expect(page.status).toBe(200)
    expect(wordsOf(page)).toContain('No row can be imported.')
  })
})

describe('POST /dashboard/import/products/', () => {
  it('says what would be created, changed and left, and writes nothing', async () => {
    const { sku: same } = await createProduct(admin, { quantity: 3, cost: '1.50' })
    const { sku: other } = await createProduct(admin, { quantity: 3, cost: '1.50' })
    const added = unique('NEW')
    const rows = [`${same};3;1.5`, `${other};4;1.50`, `${added};7;`]
    const page = await check(`SKU;Quantity;cost\n${rows.join('\n')}\n`)
    expect(page.status).toBe(200)
    expect(numbersOf(page)).toEqual({ Created: 1, Changed: 1, 'Stay as they are': 1 })
    const words = wordsOf(page)
    expect(words).toContain(
      'Of 3 products, 1 would be created and 1 changed. Nothing has changed yet.',
    )
    expect(words).toContain('Fields that change: stated quantity (1).')
    expect(words).toContain(`3 ${other} stated quantity: 3 → 4`)
    expect(words).toContain(`4 ${added} new, stated quantity 7`)
    expect(words).toContain('Import 2 rows')
    expect((await admin.get(`/products/${added}/`)).status).toBe(404)
    expect(await productNow(other)).toMatchObject({ quantity: 3 })
  })

  it('has an audit row', async () => {
    const { headers } = await check(`sku\n${unique('S')}`)
    const log = `/api/settings/v1/audit-log/?request_id=${headers.get('X-Request-Id')}`
    await expect.poll(async () => (await admin.get(log)).body.data).toHaveLength(1)
  })

  it.each<[string, string, string]>([
    ['nothing', '', 'Choose a file, or paste its text.'],
    ['a header only', 'sku;cost\n', 'It has no rows below the names of its columns.'],
    ['rows of empty cells', 'sku;cost\n;\n;;\n', 'It has no rows below'],
    ['a column that is unknown', 'sku;colour\nA;red', 'There is no column "colour": leave it out.'],
    [
      'a column under another name',
      'article;quantity\nA;1',
      'It lacks "sku". There is no column "article": rename what is meant, and leave out the rest.',
    ],
    ['no column with the name', 'quantity;cost\n1;2', 'It lacks "sku".'],
    ['a column twice', 'sku;SKU\nA;A', 'Row 1 has the column "sku" twice: name it once.'],
    ['ragged rows', 'sku;cost\nA;1\nB;1;2', 'Row 3 has 3 cells, and row 1 names 2 columns'],
    ['an open quote', 'sku\n"A', 'a quote is not closed'],
    ['JSON', '[{"sku": "A"}]', 'This is no CSV.'],
    ['a sign that no text has', 'sku\nA\0', 'It has a NUL character'],
  ])('refuses %s, and keeps it in the form', async (_, document, told) => {
    const page = await check(document)
    expect(page.status).toBe(400)
    expect(wordsOf(page)).toContain(told)
    expect(page.text).toContain('name="document"')
    expect(carriedBy(page)).toBeNull()
  })

  it('refuses more rows than a file may have', async () => {
    const skus = Array.from({ length: 10_001 }, (_, at) => `S${at}`)
    const page = await check(`sku\n${skus.join('\n')}`)
    expect(page.status).toBe(400)
    expect(wordsOf(page)).toContain('It has 10,001 rows, and a file may have 10,000: split it.')
  })

  it('refuses what no form can carry on', async () => {
    const fields = `"{""a"": ""${'x'.repeat(62_000)}""}"`
    const rows = Array.from({ length: 155 }, () => `${unique('S')};${fields}`)
    const page = await check(`sku;custom_fields\n${rows.join('\n')}`)
    expect(page.status).toBe(400)
    expect(wordsOf(page)).toContain('It is too large to be imported at once: split it.')
  }, 60_000)

  it.each<[string, string, string, string]>([
    ['text for a number', 'quantity', 'many', 'Must be a whole number.'],
    ['a number of too many digits', 'quantity', '1234567890123456', 'Is too large.'],
    ['a decimal comma', 'cost', '"3,20"', 'Must be a decimal such as 12.50'],
    ['a formula in a number', 'quantity', '=1+1', 'Must be a whole number.'],
    ['no JSON', 'custom_fields', 'blue', 'Is not valid JSON'],
    ['an array', 'custom_fields', '[1]', 'Must be an object, not an array.'],
    ['another word for a state', 'is_active', 'yes', 'Must be'],
    [
      'an id of a new record',
      'id',
      'X',
      'No product is there, and a new one gets an id of its own.',
    ],
  ])('names row and column of %s', async (_, column, cell, told) => {
    const page = await check(`sku,${column}\n${unique('S')},\n\n${unique('S')},${cell}\n`)
    expect(page.status).toBe(200)
    const words = wordsOf(page)
    expect(words).toContain(`row 4, column "${column}" ${told}`)
    expect(words).toContain('1 of 2 rows is wrong, and would be left out.')
    expect(words).toContain('Import 1 row, without the wrong ones')
  })

  it('names rows whose SKU is missing, wrong or there twice', async () => {
    const sku = unique('S')
    const page = await check(`sku;quantity\n;1\n..;1\n${sku};1\n${sku};2\n`)
    const words = wordsOf(page)
    expect(words).toContain('row 2, column "sku" Say which product it is.')
    expect(words).toContain('row 3, column "sku" Must not be "." or ".."')
    expect(words).toContain('row 5, column "sku" Row 4 has the same product: name it once.')
    expect(numbersOf(page)).toEqual({ Created: 1, Wrong: 3 })
  })

  it('shows the first hundred wrong cells, and how many more there are', async () => {
    const rows = Array.from({ length: 103 }, () => `${unique('S')};x`)
    const page = await check(`sku;quantity\n${rows.join('\n')}`)
    const words = wordsOf(page)
    expect(words).toContain('No row can be imported.')
    expect(words).toContain('row 101, column "quantity"')
    expect(words).not.toContain('row 102, column')
    expect(words).toContain('3 more are not shown.')
    expect(carriedBy(page)).toBeNull()
  })

  it.each([
    ['a byte order mark', '\ufeffsku;cost\n', ';'],
    ['tabs', 'sku\tcost\n', '\t'],
    ['commas and other line ends', 'Sku,COST\r\n', ','],
    ['blanks around names', ' sku ; cost \n', ';'],
  ])('reads a table with %s', async (_, head, separator) => {
    const page = await check(`${head}${unique('S')}${separator}2.50\n`)
    expect(numbersOf(page)).toEqual({ Created: 1 })
    expect(wordsOf(page)).toContain('cost 2.50')
  })

  it('asks a key of a client as the API does', async () => {
    const limited = await createKey(['integrations.products.*'])
    const client = await openDashboard([], { key: limited.value })
    expect((await client.post(importOf('products'), { document: 'sku\nA' })).status).toBe(200)
  })
})

describe('POST /dashboard/import/products/run/', () => {
  it('creates and changes each record by a request of its own, which can be undone', async () => {
    const { id, sku } = await createProduct(admin, {
      quantity: 3,
      cost: '1.50',
      custom_fields: { a: 1 },
    })
    const added = unique('NEW')
    const head = 'sku;quantity;cost;custom_fields;is_active'
    const rows = [`${sku};4;;;FALSE`, `${added};7;2.5;"{""b"": ""ü""}";true`]
    const { done } = await importAll(dashboard, 'products', `${head}\n${rows.join('\n')}`)
    expect(numbersOf(done)).toEqual({ Created: 1, Changed: 1 })
    expect(wordsOf(done)).toContain('2 of 2 rows are done: 1 created, 1 changed')
    const changed = { quantity: 4, cost: '1.50', custom_fields: { a: 1 }, is_active: false }
    expect(await productNow(sku)).toMatchObject(changed)
    expect(await productNow(added)).toMatchObject({ quantity: 7, custom_fields: { b: 'ü' } })
    const page = await dashboard.get(`/dashboard/products/${id}/`)
    const [, request = ''] = /audit-log\/([^/"]*)\/"[^>]*>Imported</.exec(page.text) ?? []
    const undone = await dashboard.post(`/dashboard/audit-log/${request}/undo/`)
    expect(undone.status).toBe(303)
    expect(await productNow(sku)).toMatchObject({ quantity: 3, is_active: true })
  })

  it('has an audit row for each record, which names the request that has checked the table', async () => {
    const skus = [unique('S'), unique('S')]
    const { checked, done } = await importAll(dashboard, 'products', `sku\n${skus.join('\n')}`)
    const part = done.headers.get('X-Request-Id')
    const check = checked.headers.get('X-Request-Id')
    for (const sku of skus) {
      const log = `/api/settings/v1/audit-log/?record_name=${sku}`
      const rows = (await admin.get(log)).body.data
      expect(rows).toHaveLength(1)
      expect(rows[0]).toMatchObject({ status: 201, replay_of: check, method: 'POST' })
    }
    const log = `/api/settings/v1/audit-log/?request_id=${part}`
    await expect.poll(async () => (await admin.get(log)).body.data).toHaveLength(1)
  })

  it('goes on in parts, and sends back what is left', async () => {
    const skus = Array.from({ length: 160 }, () => unique('S'))
    const checked = await check(`sku\n${skus.join('\n')}`)
    const first = await dashboard.post(`${importOf('products')}run/`, carriedBy(checked) ?? {})
    // The script gives the page the address of the form, at which no run goes on.
    expect(first.text).toContain(`action="${importOf('products')}run/" data-goes-on`)
    const done = await goOn(dashboard, 'products', first)
    expect(wordsOf(done)).toContain('160 of 160 rows are done: 160 created')
  }, 60_000)

  it('makes nothing twice of a form that is sent twice, one after the other or at once', async () => {
    const { sku } = await createProduct(admin, { quantity: 1 })
    const [one, two] = [unique('S'), unique('S')]
    const checked = await check(`sku;quantity\n${sku};2\n${one};1\n${two};1\n`)
    const fields = carriedBy(checked) ?? {}
    const send = () => dashboard.post(`${importOf('products')}run/`, fields)
    const pages = [...(await Promise.all([send(), send()])), await send()]
    for (const page of pages) expect(numbersOf(page)).toEqual({ Created: 2, Changed: 1 })
    for (const name of [one, two]) {
      const log = `/api/settings/v1/audit-log/?record_name=${name}`
      expect((await admin.get(log)).body.data).toHaveLength(1)
    }
    expect((await productNow(sku)).quantity).toBe(2)
  })

  it('lets two people import the same table at once', async () => {
    const { sku } = await createProduct(admin, { quantity: 1 })
    const added = unique('S')
    const document = `sku;quantity\n${sku};2\n${added};5\n`
    const [mine, theirs] = [await check(document), await check(document)]
    const pages = await Promise.all(
      [mine, theirs].map((page) =>
        dashboard.post(`${importOf('products')}run/`, carriedBy(page) ?? {}),
      ),
    )
    const sums = pages.map(numbersOf)
    const sum = (name: string) => sums.reduce((all, each) => all + (each[name] ?? 0), 0)
    expect([sum('Created'), sum('Changed'), sum('Stayed as they were')]).toEqual([1, 1, 2])
    expect(await productNow(added)).toMatchObject({ quantity: 5 })
  })

  it.each([
    ['changed', (sku: string) => admin.put(`/products/${sku}/`, { quantity: 9 })],
    ['deactivated', (sku: string) => admin.delete(`/products/${sku}/`)],
  ])('leaves a record alone that somebody has %s meanwhile', async (_, act) => {
    const { sku } = await createProduct(admin, { quantity: 1 })
    const checked = await check(`sku;quantity\n${sku};2\n`)
    await act(sku)
    const before = await productNow(sku)
    const done = await goOn(dashboard, 'products', checked)
    expect(numbersOf(done)).toEqual({ Created: 0, Failed: 1 })
    expect(wordsOf(done)).toContain(`2 ${sku} It was changed since the file was checked`)
    expect(await productNow(sku)).toEqual(before)
  })

  it('leaves a record alone that somebody has created otherwise meanwhile', async () => {
    const sku = unique('S')
    const checked = await check(`sku;quantity\n${sku};2\n`)
    await createProduct(admin, { sku, quantity: 3 })
    const done = await goOn(dashboard, 'products', checked)
    expect(wordsOf(done)).toContain(`2 ${sku} Somebody has created it since the file was checked`)
    expect((await productNow(sku)).quantity).toBe(3)
  })

  it.each([
    ['no rows', { rows: '[]' }],
    ['rows of another form', { rows: '[{"sku": 1}]' }],
    ['no run', { run: 'x' }],
    ['no check', { check: 'x' }],
    ['other results', { results: '{}' }],
  ])('refuses %s', async (_, wrong) => {
    const checked = await check(`sku\n${unique('S')}`)
    const fields = { ...carriedBy(checked), ...wrong }
    const page = await dashboard.post(`${importOf('products')}run/`, fields)
    expect(page.status).toBe(400)
  })

  it.each<[string, () => Promise<string | null>]>([
    ['a request of a client', async () => idOf(await admin.post('/products/', { sku: '' }))],
    ['a check of locations', async () => idOf(await check(`code\n${unique('L')}`, 'locations'))],
  ])('refuses rows that name %s as their check', async (_, made) => {
    const sku = unique('S')
    const wrong = await made()
    const log = `/api/settings/v1/audit-log/?request_id=${wrong}`
    await expect.poll(async () => (await admin.get(log)).body.data).toHaveLength(1)
    const fields = { ...carriedBy(await check(`sku\n${sku}`)), check: wrong ?? '' }
    const page = await dashboard.post(`${importOf('products')}run/`, fields)
    expect(page.status).toBe(400)
    expect(wordsOf(page)).toContain('Must be the request that has checked the table.')
    expect((await admin.get(`/products/${sku}/`)).status).toBe(404)
  })

  it('reports a row that somebody has forged as failed', async () => {
    const checked = await check(`sku;quantity\n${unique('S')};1\n`)
    const { rows, ...fields } = carriedBy(checked) ?? {}
    const forged = String(rows).replace('"1"', '"x"')
    const page = await dashboard.post(`${importOf('products')}run/`, { ...fields, rows: forged })
    expect(wordsOf(page)).toContain('quantity: Must be a whole number.')
  })

  it('is closed as soon as the key may write no more', async () => {
    const { id, value } = await createKey(['integrations.products.*'])
    const session = await openDashboard([], { key: value })
    const sku = unique('S')
    const checked = await session.post(importOf('products'), { document: `sku\n${sku}` })
    const scopes = ['integrations.products.read']
    await admin.put(`/api/settings/v1/api-keys/${id}/`, { scopes })
    const page = await session.post(`${importOf('products')}run/`, carriedBy(checked) ?? {})
    expect(page.status).toBe(403)
    expect((await admin.get(`/products/${sku}/`)).status).toBe(404)
  })

  it('works for a key of a partner, past its mapping', async () => {
    const products = { inbound: { fields: { sku: 'Artikel' } } }
    const { key, admin: api } = await openPartner({
      mappings: { products },
      scopes: ['settings.*', 'integrations.*'],
    })
    const session = await openDashboard([], { key: key.key })
    const sku = unique('S')
    await importAll(session, 'products', `sku\n${sku}`)
    expect((await api.get(`/products/${sku}/`)).status).toBe(200)
  })
})

describe('a file that a list offers', () => {
  const RECORDS: [string, string, () => Promise<unknown>[]][] = [
    [
      'products',
      'sku',
      () => [
        createProduct(admin, {
          sku: `=${unique('S')}`,
          quantity: -3,
          cost: '3.20',
          custom_fields: { b: '; =2' },
        }),
        createProduct(admin, {
          sku: `'=${unique('S')}`,
          custom_fields: { a: "x; '=1", b: '; =2' },
        }),
        createProduct(admin, { is_active: false, custom_fields: { big: 1e21, n: 1.5, t: '\r\n' } }),
      ],
    ],
    [
      'locations',
      'code',
      () => [
        createLocation(admin, { code: `+${unique('L')}`, name: '=1+1', zone: "'=1", aisle: ' a ' }),
        createLocation(admin, {
          name: 'two\r\nlines\rand more',
          zone: '"quoted", ü',
          aisle: '-; @',
        }),
        createLocation(admin, { metadata: { a: null }, name: '' }),
      ],
    ],
  ]

  it.each(RECORDS)('changes nothing when it is imported again: %s', async (resource, key, make) => {
    const made = (await Promise.all(make())) as Record<string, string>[]
    const names = made.map((record) => record[key] ?? '')
    const file = await dashboard.get(`/dashboard/${resource}/?is_active=all&format=csv`)
    const document = file.text
    const page = await check(document, resource)
    expect(wordsOf(page)).not.toContain('What is wrong')
    expect(wordsOf(page)).not.toContain('What would change')
    const { Created, 'Stay as they are': same = 0, ...others } = numbersOf(page)
    expect([Created, others, same >= names.length]).toEqual([0, {}, true])
    expect(carriedBy(page)).toBeNull()
  })

  it('makes the same records elsewhere, without the ids', async () => {
    const name = `=${unique('x')}`
    const code = `@${unique('L')}`
    const { done } = await importAll(
      dashboard,
      'locations',
      `code,name,zone,is_active\n'${code},'${name},; '=2,true\n`,
    )
    expect(numbersOf(done)).toEqual({ Created: 1 })
    const { data } = (await admin.get(`/locations/${encodeURIComponent(code)}/`)).body
    expect(data).toMatchObject({ code, name, zone: '; =2', is_active: true })
  })

  it('says that a new location is active', async () => {
    const page = await check(`code;is_active\n${unique('L')};false\n`, 'locations')
    expect(wordsOf(page)).toContain('row 2, column "is_active" A new location is active')
  })

  it('is refused where it has the id of another record', async () => {
    const [one, other] = [await createProduct(admin), await createProduct(admin)]
    const page = await check(`id,sku\n${other.id},${one.sku}\n`)
    expect(wordsOf(page)).toContain('row 2, column "id" The product has another id')
  })
})
