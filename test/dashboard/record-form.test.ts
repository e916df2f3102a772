import { describe, expect, it } from 'vitest'
import { formNames } from '../../src/dashboard/record-form/texts.ts'
import { LOCATIONS, PRODUCTS } from '../../src/records/catalogue/kind.ts'
import { admin } from '../fixtures/opened.ts'
import { dashboard } from '../fixtures/opened-dashboard.ts'
import { markupOf, wordsOf } from '../fixtures/pages-read.ts'
import { linksIn, openDashboard, openForm } from '../fixtures/session.ts'
import { type Json, unique } from '../fixtures/tenant.ts'
import { dataOf } from '../fixtures/warehouse.ts'

// Products, locations and orders by hand. Fields and labels come from the record's definition.

const FULL = {
  products: { quantity: 40, cost: '3.20', custom_fields: { colour: 'blue' } },
  locations: { name: 'Rack', zone: 'D', aisle: '05', metadata: { temperature: 'ambient' } },
}

async function make(resource: keyof typeof FULL, fields: object = FULL[resource]) {
  const name = unique(resource)
  const key = resource === 'products' ? 'sku' : 'code'
  const { body } = await admin.post(`/${resource}/`, { [key]: name, ...fields })
  const at = `/dashboard/${resource}/${body.data.id ?? (await idOf(resource, name))}/`
  return { name, at, edit: `${at}edit/`, read: () => read(resource, name) }
}

const idOf = async (resource: string, name: string) => (await read(resource, name)).id

const read = async (resource: string, name: string): Promise<Json> =>
  (await admin.get(`/${resource}/${name}/`)).body.data

describe('GET /dashboard/products/:id/edit/', () => {
  it('shows each field as it is, an object as JSON', async () => {
    const { edit } = await make('products')
    const { text } = await dashboard.get(edit)
    expect(text).toMatch(/name="quantity" value="40"/)
    expect(text).toMatch(/name="cost" value="3.20"/)
    expect(text).toContain('{\n  &quot;colour&quot;: &quot;blue&quot;\n}</textarea>')
    expect(text).not.toMatch(/name="(sku|is_active)"/)
    expect(text).toContain('The SKU stays as it is. If it is wrong, create the product anew')
  })

  it('is linked from the page of the record, and only for who may change it', async () => {
    const { at, edit } = await make('products')
    expect((await dashboard.get(at)).text).toContain(edit)
    const reader = await openDashboard(['integrations.products.read'])
    expect((await reader.get(at)).text).not.toContain(edit)
    expect((await reader.get(edit)).status).toBe(403)
  })
})

describe('POST /dashboard/products/:id/edit/', () => {
  it('changes what was typed, and leaves the rest as it is', async () => {
    const { edit, at, read } = await make('products')
    const fields = { quantity: '41', 'was.quantity': '40', custom_fields: '{"size": 1.50}' }
    const answer = await dashboard.post(edit, fields)
    expect(answer.status).toBe(303)
    expect(answer.headers.get('Location')).toBe(`${at}?done=product-saved`)
    expect(await read()).toMatchObject({ quantity: 41, cost: '3.20', custom_fields: { size: 1.5 } })
  })

  it('empties fields, and an object that must be there is empty then', async () => {
    const { edit, read } = await make('products')
    const was = { 'was.cost': '3.20', 'was.custom_fields': '{"colour": "blue"}' }
    expect((await dashboard.post(edit, { ...was, cost: '', custom_fields: '' })).status).toBe(303)
    expect(await read()).toMatchObject({ cost: null, custom_fields: {} })
  })

  it.each([
    ['no number', { quantity: 'many' }, 'quantity', 'Must be a whole number.'],
    ['no quantity', { 'was.quantity': '40' }, 'quantity', 'Must be a whole number.'],
    ['a negative cost', { cost: '-1' }, 'cost', 'Must be a decimal such as 12.50'],
    ['JSON that ends too early', { custom_fields: '{"a": 1' }, 'custom_fields', 'line 1, column 8'],
    ['a member twice', { custom_fields: '{"a": 1, "a": 2}' }, 'custom_fields', 'a is given twice'],
    ['an array', { custom_fields: '[1]' }, 'custom_fields', 'Must be an object'],
    [
      'a number that a double does not hold',
      { custom_fields: '{"a": 12345678901234567890}' },
      'custom_fields',
      'send it as a string',
    ],
  ])('refuses %s at its field, and keeps what was typed', async (_, fields, name, message) => {
    const { edit, read } = await make('products')
    const text = markupOf(await dashboard.post(edit, { ...fields, cost: '9.00', ...fields }), 400)
    const [error = ''] = new RegExp(`id="${name}-error">[^<]*`).exec(text) ?? []
    expect(error).toContain(message)
    if (name !== 'cost') expect(text).toContain('name="cost" value="9.00"')
    expect(await read()).toMatchObject(FULL.products)
  })

  it('overwrites nothing that another has changed, and shows both values', async () => {
    const { name, edit, read } = await make('products')
    const opened = await openForm(dashboard, edit)
    await admin.put(`/products/${name}/`, { quantity: 12, cost: '4.00' })
    const was = { 'was.quantity': '40', 'was.cost': '3.20' }
    const sent = { ...opened, ...was, quantity: '41', cost: '3.20' }
    const answer = await dashboard.post(edit, sent)
    expect(answer.status).toBe(412)
    const words = wordsOf(answer)
    expect(words).toContain('Others have changed this since you opened it.')
    expect(words).toContain('quantity 12 41')
    expect(words).toContain('The form now has what others have saved in: cost')
    expect(words).toMatch(/changed it, .* Show the request/)
    expect(await read()).toMatchObject({ quantity: 12, cost: '4.00' })
    expect(answer.text).toMatch(/name="was.quantity" value="12"/)
    expect(answer.text).toMatch(/ name="quantity" value="41"/)
    expect(answer.text).toMatch(/ name="cost" value="4.00"/)
  })

  it('saves over it when the form is sent again', async () => {
    const { name, edit, read } = await make('products')
    const opened = await openForm(dashboard, edit)
    await admin.put(`/products/${name}/`, { quantity: 12 })
    const fields = { ...opened, 'was.quantity': '40', quantity: '41' }
    const { text } = await dashboard.post(edit, fields)
    const version = /name="version" value="([^"]*)"/.exec(text)?.[1] ?? ''
    const again = { ...fields, version, 'was.quantity': '12' }
    expect((await dashboard.post(edit, again)).status).toBe(303)
    expect((await read()).quantity).toBe(41)
  })

  it('says so if another has saved the same', async () => {
    const { name, edit } = await make('products')
    const opened = await openForm(dashboard, edit)
    await admin.put(`/products/${name}/`, { quantity: 41 })
    const fields = {
      ...opened,
      'was.quantity': '40',
      quantity: '41',
      'was.cost': '3.20',
      cost: '3.20',
    }
    const answer = await dashboard.post(edit, {
      ...fields,
      'was.custom_fields': '{\n  "colour": "blue"\n}',
      custom_fields: '{\n  "colour": "blue"\n}',
    })
    expect(answer.status).toBe(412)
    expect(wordsOf(answer)).toContain('What you sent is saved already.')
  })

  it('writes the change into the history of the record, and an undo takes it back', async () => {
    const { at, edit, read } = await make('products')
    await dashboard.post(edit, { 'was.quantity': '40', quantity: '41' })
    const { text } = await dashboard.get(at)
    expect(text).toContain(`POST ${edit}`)
    const request = /audit-log\/([0-9a-f-]{36})\/">Edited</.exec(text)?.[1] ?? ''
    expect((await dashboard.post(`/dashboard/audit-log/${request}/undo/`)).status).toBe(303)
    expect((await read()).quantity).toBe(40)
  })
})

describe('POST /dashboard/locations/:id/edit/', () => {
  it('changes a location that was deactivated meanwhile only when the form is sent again', async () => {
    const { name, edit, read } = await make('locations')
    const opened = await openForm(dashboard, edit)
    await admin.delete(`/locations/${name}/`)
    const answer = await dashboard.post(edit, { ...opened, zone: 'E' })
    expect(answer.status).toBe(412)
    expect((await read()).zone).toBe('D')
  })

  it('takes names of every script and direction', async () => {
    const { edit, read } = await make('locations')
    const name = '\u202bרחוב‎ “<b>” 你好 👩‍🚀 Ç\u0327'
    await dashboard.post(edit, { name })
    expect((await read()).name).toBe(name)
    const { text } = await dashboard.get(edit)
    expect(text).not.toContain('<b>')
  })
})

describe('POST /dashboard/new/location/', () => {
  it('creates a record with all its fields', async () => {
    const code = unique('L')
    const fields = { code, name: 'Rack', zone: 'D', aisle: '5', metadata: '{"cold": true}' }
    expect((await dashboard.post('/dashboard/new/location/', fields)).status).toBe(303)
    const { data } = (await admin.get(`/locations/${code}/`)).body
    expect(data).toMatchObject({ name: 'Rack', aisle: '5', metadata: { cold: true } })
  })

  it('is linked from the list', async () => {
    expect((await dashboard.get('/dashboard/locations/')).text).toContain(
      '/dashboard/new/location/',
    )
  })
})

describe('POST /dashboard/orders/:id/edit/', () => {
  async function order() {
    const { name } = await make('products')
    const order_number = unique('SO')
    const items = [{ sku_code: name, quantity: 2 }]
    const sent = { order_number, items, notes: 'One\r\nTwo ', due_date: '2026-12-24T10:00:00Z' }
    const { id } = (await admin.post('/orders/', sent)).body.data
    return { edit: `/dashboard/orders/${id}/edit/`, read: () => read('orders', order_number) }
  }

  it('changes its header, and leaves texts that nobody has typed to the byte', async () => {
    const { edit, read } = await order()
    const fields = { customer_name: 'Ada Lund', notes: 'One\nTwo', 'was.notes': 'One\nTwo' }
    expect((await dashboard.post(edit, fields)).status).toBe(303)
    expect(await read()).toMatchObject({ customer_name: 'Ada Lund', notes: 'One\r\nTwo ' })
  })

  it('shows a time as its field takes it, and keeps it unless another is typed', async () => {
    const { edit, read } = await order()
    const { text } = await dashboard.get(edit)
    expect(text).toContain('value="2026-12-24T10:00"')
    const was = { 'was.due_date': '2026-12-24T10:00' }
    await dashboard.post(edit, { ...was, due_date: '2026-12-24T10:00:00Z', metadata: '{"a": 1}' })
    expect((await read()).due_date).toBe('2026-12-24T10:00:00.000Z')
    await dashboard.post(edit, { ...was, due_date: '2026-12-25T10:30' })
    expect((await read()).due_date).toBe('2026-12-25T10:30:00.000Z')
  })

  it('refuses a status that the order cannot have any more', async () => {
    const { edit, read } = await order()
    await dashboard.post(edit, { 'was.status': 'pending', status: 'shipped' })
    expect((await read()).status).toBe('shipped')
    const answer = await dashboard.post(edit, { 'was.status': 'shipped', status: 'pending' })
    expect(answer.status).toBe(400)
    expect(wordsOf(answer)).toContain('its status cannot become "pending"')
  })
})

/** The form of a new product or location with this name, otherwise empty. */
const formOf = ({ record }: typeof PRODUCTS | typeof LOCATIONS, name: string) =>
  Object.fromEntries(
    formNames(record, 'create').map((field) => [field, field === record.key ? name : '']),
  )

interface Form {
  path: string
  /** The form as it creates a record with the name. */
  fields: (name: string) => Record<string, string>
  /** Creates the record, and tells its page. */
  create: (name: string) => Promise<string>
}

async function made(path: string, input: object, at: string): Promise<string> {
  return `${at}${dataOf(await admin.post(path, input), 201).id}/`
}

const FORMS: Record<string, Form> = {
  product: {
    path: '/dashboard/new/product/',
    fields: (name) => formOf(PRODUCTS, name),
    create: (sku) => made('/products/', { sku }, '/dashboard/products/'),
  },
  'product that is inactive': {
    path: '/dashboard/new/product/',
    fields: (name) => formOf(PRODUCTS, name),
    create: (sku) => made('/products/', { sku, is_active: false }, '/dashboard/products/'),
  },
  location: {
    path: '/dashboard/new/location/',
    fields: (name) => formOf(LOCATIONS, name),
    create: (code) => made('/locations/', { code }, '/dashboard/locations/'),
  },
  partner: {
    path: '/dashboard/new/partner/',
    fields: (name) => ({ name, default_identifier_field: '' }),
    create: (name) => made('/api/settings/v1/partners/', { name }, '/dashboard/partners/'),
  },
  person: {
    path: '/dashboard/new/person/',
    fields: (name) => ({ name: 'N', email: addressOf(name), role: 'viewer', expires_at: '' }),
    create: (name) => {
      const input = { name: 'N', email: addressOf(name).toUpperCase(), role: 'viewer' }
      return made('/api/settings/v1/people/', input, '/dashboard/people/')
    },
  },
}

const addressOf = (name: string) => `${name.replaceAll(/[^\w-]/g, '')}@example.com`

describe('the form of a new record', () => {
  it.each(Object.entries(FORMS))('leads to the %s that exists', async (_, form) => {
    const name = unique('<b>E')
    const page = await form.create(name)
    const text = markupOf(await dashboard.post(form.path, form.fields(name)), 409)
    expect(text).toContain('Already exists.')
    expect(linksIn(text)).toContain(page)
    expect(text).not.toContain('<b>')
  })

  it.each(Object.entries(FORMS))('leads nowhere for another error: %s', async (_, form) => {
    const page = await form.create(unique('E'))
    const text = markupOf(await dashboard.post(form.path, form.fields('')), 400)
    expect(text).not.toContain(page)
    expect(text).not.toContain('There is the')
  })

  it('leads nowhere if another field is wrong', async () => {
    const sku = unique('E')
    await admin.post('/products/', { sku })
    const wrong = { ...formOf(PRODUCTS, sku), quantity: 'many' }
    const text = markupOf(await dashboard.post('/dashboard/new/product/', wrong), 400)
    expect(text).not.toContain('There is the')
  })
})
