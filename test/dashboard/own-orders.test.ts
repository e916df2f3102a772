import { beforeEach, describe, expect, it } from 'vitest'
import { type Json, unique } from '../fixtures/tenant.ts'
import { admin, dashboard, LIST, named, SETTINGS } from './key-pages.ts'

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
