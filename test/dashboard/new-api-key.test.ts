import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { admin } from '../fixtures/opened.ts'
import { dashboard } from '../fixtures/opened-dashboard.ts'
import { markupOf } from '../fixtures/pages-read.ts'
import { openPartner } from '../fixtures/partner.ts'
import { client, type Json, unique } from '../fixtures/tenant.ts'
import { endRelease, inputOf, keyIn, LIST, named, releasesIn, SETTINGS } from './key-pages.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

describe('GET /dashboard/new/api-key/', () => {
  const checkedIn = (text: string) =>
    [...text.matchAll(/name="scopes" value="([^"]*)"[^>]*checked/g)].map(([, scope]) => scope)

  it('begins with what the partner of the key needs: what is mapped, and its own orders', async () => {
    const mapping = { inbound: { fields: { order_number: 'no' } } }
    const { id } = await openPartner({ mappings: { orders: mapping } })
    const { text } = await dashboard.get(`/dashboard/new/api-key/?partner_id=${id}`)
    expect(checkedIn(text)).toEqual(['integrations.orders.read', 'integrations.orders.write'])
    expect(text).toMatch(/<option value="true" selected[^>]*>Only orders of its partner/)
    expect(text).toMatch(/name="access" value="chosen" checked/)
  })

  it('begins with all but deletion for a partner without mappings', async () => {
    const { id } = await openPartner()
    const scopes = checkedIn((await dashboard.get(`/dashboard/new/api-key/?partner_id=${id}`)).text)
    expect(scopes).toHaveLength(8)
    expect(scopes.join()).not.toContain('delete')
  })

  it('begins with full access for no partner, and for one that is not there', async () => {
    for (const partner of ['', crypto.randomUUID()]) {
      const { text } = await dashboard.get(`/dashboard/new/api-key/?partner_id=${partner}`)
      expect(text).toMatch(/name="access" value="full" checked/)
    }
  })
})

describe('POST /dashboard/new/api-key/', () => {
  it.each([
    ['full access', { access: 'full' }, ['integrations.*']],
    [
      'read only',
      { access: 'read' },
      [
        'integrations.orders.read',
        'integrations.products.read',
        'integrations.locations.read',
        'integrations.inventory.read',
      ],
    ],
    [
      'chosen scopes',
      { access: 'chosen', scopes: ['integrations.orders.*', 'settings.read'] },
      ['integrations.orders.*', 'settings.read'],
    ],
    [
      'full access, whatever is ticked below',
      { access: 'full', scopes: 'settings.*' },
      ['integrations.*'],
    ],
  ])('creates a key of %s and shows its value once', async (_, fields, scopes) => {
    const name = unique('key')
    const text = markupOf(
      await dashboard.post('/dashboard/new/api-key/', { name: ` ${name} `, ...fields }),
      201,
    )
    const [created] = await named(name)
    expect(created).toMatchObject({ scopes, partner_id: null, expires_at: null })
    const value = keyIn(text)
    expect(created.hint.slice(-4)).toBe(value.slice(-4))
    expect(text).toContain('data-address="/dashboard/api-keys/"')
    expect((await dashboard.get(LIST)).text).not.toContain(value)
  })

  it.each([
    ['full access', { access: 'full' }],
    ['settings alone', { access: 'chosen', scopes: 'settings.read' }],
  ])('gives a curl line that works with a key of %s', async (_, fields) => {
    const answer = await dashboard.post('/dashboard/new/api-key/', {
      name: unique('key'),
      ...fields,
    })
    const curl = /curl &#39;https:\/\/demo\.example([^&]*)&#39; -H &#39;X-API-Key: (\w+)&#39;/.exec(
      answer.text,
    )
    expect((await client(curl?.[2] ?? '').get(curl?.[1] ?? '')).status).toBe(200)
  })

  it.each([
    [['integrations.inventory.read'], 200],
    [['integrations.locations.*', 'integrations.orders.write'], 200],
    [['settings.read'], 200],
    [['integrations.orders.write', 'settings.write'], null],
  ])('gives a key of %j a curl line that its scopes allow, or none', async (scopes, status) => {
    const fields = { name: unique('key'), access: 'chosen', scopes }
    const { text } = await dashboard.post('/dashboard/new/api-key/', fields)
    const path = /curl &#39;https:\/\/demo\.example([^&]*)&#39;/.exec(text)?.[1]
    expect(path ? (await client(keyIn(text)).get(path)).status : null).toBe(status)
  })

  it('links the key to a partner and lets it expire', async () => {
    const partner = await admin.post(`${SETTINGS}/partners/`, { name: unique('Partner') })
    const name = unique('key')
    await dashboard.post('/dashboard/new/api-key/', {
      name,
      access: 'full',
      partner_id: partner.body.data.id,
      expires_at: '2126-03-01T09:30',
    })
    expect((await named(name))[0]).toMatchObject({
      partner_id: partner.body.data.id,
      expires_at: '2126-03-01T09:30:00.000Z',
    })
  })

  it('offers the releases that have not ended, in words', async () => {
    const offered = async () => releasesIn((await dashboard.get('/dashboard/new/api-key/')).text)
    const current = '<option value="current" selected="">Current</option>'
    const pinned = '<option value="1.0">1.0, ends 2027-12-01 (UTC)</option>'
    expect(await offered()).toBe(current + pinned)
    endRelease()
    expect(await offered()).toBe(current)
  })

  it.each([
    [
      { release: '1.0', rate_limit: ' 60 ' },
      { release: '1.0', rate_limit: 60 },
    ],
    [
      { release: 'current', rate_limit: '3e4' },
      { release: 'current', rate_limit: 30_000 },
    ],
    [
      { release: 'current', rate_limit: '' },
      { release: 'current', rate_limit: null },
    ],
    [{}, { release: 'current', rate_limit: null }],
  ])('creates a key of the release and rate limit in %j', async (fields, saved) => {
    const name = unique('key')
    const answer = await dashboard.post('/dashboard/new/api-key/', {
      name,
      access: 'full',
      ...fields,
    })
    expect(answer.status).toBe(201)
    expect((await named(name))[0]).toMatchObject(saved)
  })

  it.each([
    ['0', 'Must be at least 1.'],
    ['-1', 'Must be at least 1.'],
    ['30001', 'Must be at most 30000.'],
    ['1.5', 'Must be an integer, not a fraction.'],
    ['1e999', 'Must be an integer, not a number that is too large.'],
    ['sixty', 'Must be an integer, not a string.'],
    ['60 per minute', 'Must be an integer, not a string.'],
    ['0x10', 'Must be an integer, not a string.'],
    ['NaN', 'Must be an integer, not a string.'],
    ['Infinity', 'Must be an integer, not a string.'],
    ['null', 'Must be an integer, not a string.'],
  ])('refuses %s requests a minute at the field, and keeps it', async (rate_limit, message) => {
    const name = unique('key')
    const text = markupOf(
      await dashboard.post('/dashboard/new/api-key/', {
        name,
        access: 'full',
        release: '1.0',
        rate_limit,
      }),
      400,
    )
    expect(text).toContain(`id="rate_limit-error">${message}</small>`)
    expect(inputOf(text, 'rate_limit')).toContain(` value="${rate_limit}"`)
    expect(inputOf(text, 'rate_limit')).toContain(' aria-invalid="true"')
    expect(text).toContain('value="1.0" selected')
    expect(await named(name)).toEqual([])
  })

  it('shows what is wrong beside each field, and keeps what was typed', async () => {
    const answer = await dashboard.post('/dashboard/new/api-key/', {
      name: ' ',
      access: 'chosen',
      expires_at: '2020-01-01T10:00',
      partner_id: '',
    })
    expect(answer.status).toBe(400)
    expect(answer.text).toContain('Correct 3 fields below.')
    expect(answer.text).toMatch(/id="name-error">Must have at least 1 character\./)
    expect(answer.text).toContain('Name at least one scope.')
    expect(answer.text).toMatch(/id="expires_at-error">Must be in the future\./)
    expect(answer.text).toContain('value="2020-01-01T10:00"')
    expect(answer.text).toMatch(/value="chosen" checked/)
  })

  it('refuses scopes that do not exist, and a partner that does not', async () => {
    const scopes = await dashboard.post('/dashboard/new/api-key/', {
      name: 'x',
      access: 'chosen',
      scopes: '*',
    })
    expect(scopes.text).toContain('There is no scope &quot;*&quot;.')
    const partner = await dashboard.post('/dashboard/new/api-key/', {
      name: 'x',
      access: 'full',
      partner_id: 'nobody',
    })
    expect(partner.text).toContain('No partner has the id &quot;nobody&quot;.')
  })

  it('refuses what is no form', async () => {
    const text = markupOf(await dashboard.post('/dashboard/new/api-key/'), 400)
    expect(text).toContain('Must have at least 1 character.')
  })
})

const NEW = '/dashboard/new/api-key/'
const MESSAGE =
  'A key without a partner has no own orders: name a partner, or send own_orders_only false.'

let partner_id: string

beforeEach(async () => {
  const { body } = await admin.post(`${SETTINGS}/partners/`, { name: unique('Partner') })
  partner_id = body.data.id
})

const newKey = async (fields: object) =>
  (await admin.post(`${SETTINGS}/api-keys/`, { name: unique('key'), partner_id, ...fields })).body
    .data
const record = async ({ id }: Json) => (await admin.get(`${SETTINGS}/api-keys/${id}/`)).body.data

/** The value that the form has chosen. */
const chosenIn = (text: string) =>
  /<select id="own_orders_only".*?<option value="(\w+)" selected/.exec(text)?.[1]

describe('the form of a key', () => {
  it('offers all orders to a new key, and saves what is chosen', async () => {
    expect(chosenIn((await dashboard.get(NEW)).text)).toBe('false')
    for (const own_orders_only of ['true', 'false']) {
      const name = unique('key')
      const fields = { name, access: 'full', partner_id, own_orders_only }
      expect((await dashboard.post(NEW, fields)).status).toBe(201)
      expect((await named(name))[0].own_orders_only).toBe(own_orders_only === 'true')
    }
  })

  it('shows the limit of a key, and ends it', async () => {
    const key = await newKey({ own_orders_only: true })
    const at = `${LIST}${key.id}/`
    expect(chosenIn((await dashboard.get(at)).text)).toBe('true')
    const fields = { name: key.name, access: 'full', partner_id, own_orders_only: 'false' }
    await dashboard.post(at, fields)
    expect((await record(key)).own_orders_only).toBe(false)
  })

  it('refuses a limited key without a partner at both fields, and keeps what was chosen', async () => {
    const key = await newKey({ own_orders_only: true })
    const fields = { name: key.name, access: 'full', partner_id: '', own_orders_only: 'true' }
    for (const at of [NEW, `${LIST}${key.id}/`]) {
      const { status, text } = await dashboard.post(at, fields)
      expect([status, chosenIn(text)]).toEqual([400, 'true'])
      for (const name of ['own_orders_only', 'partner_id']) {
        expect(text).toContain(`id="${name}-error">${MESSAGE}</small>`)
      }
    }
    expect(await record(key)).toMatchObject({ partner_id, own_orders_only: true })
  })
})

describe('GET /dashboard/api-keys/', () => {
  it('says of a limited key that it is one, and of no other', async () => {
    const [limited, other] = [await newKey({ own_orders_only: true }), await newKey({})]
    const { text } = await dashboard.get(LIST)
    const rowOf = ({ name }: Json) => text.split('<tr>').find((row) => row.includes(name))
    expect(rowOf(limited)).toContain('<small class="line">only orders of its partner</small>')
    expect(rowOf(other)).not.toContain('only orders')
  })
})

describe('POST /dashboard/api-keys/:id/rotate/', () => {
  it('keeps the limit', async () => {
    const { id, name } = await newKey({ own_orders_only: true })
    await dashboard.post(`${LIST}${id}/rotate/`, { overlap_seconds: '3600' })
    const rotated = (await named(name)).find((key: Json) => key.id !== id)
    expect(rotated).toMatchObject({ rotated_from: id, own_orders_only: true, partner_id })
  })
})
