import { beforeAll, describe, expect, it } from 'vitest'
import { formNames } from '../../src/dashboard/record-form/texts.ts'
import { LOCATIONS, PRODUCTS } from '../../src/records/catalogue/kind.ts'
import { type Dashboard, linksIn, openDashboard } from '../fixtures/session.ts'
import { type Api, openAdmin, unique } from '../fixtures/tenant.ts'

let admin: Api
let dashboard: Dashboard

beforeAll(async () => {
  admin = await openAdmin()
  dashboard = await openDashboard()
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
  const { status, body } = await admin.post(path, input)
  expect(status).toBe(201)
  return `${at}${body.data.id}/`
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
    const { status, text } = await dashboard.post(form.path, form.fields(name))
    expect(status).toBe(409)
    expect(text).toContain('Already exists.')
    expect(linksIn(text)).toContain(page)
    expect(text).not.toContain('<b>')
  })

  it.each(Object.entries(FORMS))('leads nowhere for another error: %s', async (_, form) => {
    const page = await form.create(unique('E'))
    const { status, text } = await dashboard.post(form.path, form.fields(''))
    expect(status).toBe(400)
    expect(text).not.toContain(page)
    expect(text).not.toContain('There is the')
  })

  it('leads nowhere if another field is wrong', async () => {
    const sku = unique('E')
    await admin.post('/products/', { sku })
    const wrong = { ...formOf(PRODUCTS, sku), quantity: 'many' }
    const { status, text } = await dashboard.post('/dashboard/new/product/', wrong)
    expect(status).toBe(400)
    expect(text).not.toContain('There is the')
  })
})
