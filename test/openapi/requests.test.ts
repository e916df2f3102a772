import { describe, expect, it } from 'vitest'
import { SCOPES } from '../../src/engine/identity/scopes.ts'
import { IDENTIFIERS } from '../../src/engine/mapping/identifier.ts'
import { sample } from '../fixtures/depth.ts'
import { ENDPOINTS, type Endpoint, requestOf } from '../fixtures/endpoints.ts'
import { admin } from '../fixtures/opened.ts'
import { openPartner } from '../fixtures/partner.ts'
import { execute } from '../fixtures/sql.ts'
import { type Json, unique } from '../fixtures/tenant.ts'
import { path as pathOf, stock } from '../fixtures/warehouse.ts'
import { OPERATIONS, operationAt, responseOf, templateOf } from './document.ts'
import {
  call,
  documented,
  expectDocumented,
  isList,
  KEYS,
  SETTINGS,
  schemaOf,
  takesBody,
  those,
  titled,
} from './documented.ts'

/** That there is an attempt to list. */
/** Its request makes an order with differences. */
const SEEN = ENDPOINTS.find(({ path }) => path.endsWith('/seen/')) as Endpoint
const ATTEMPT = `insert or ignore into key_attempts
  values ('xd_demo_…Q7kD', 'unknown', 1, '2099-01-01T00:00:00.000Z', '2099-01-01T00:00:00.000Z', 'b')`

const SHOWN = 'update line_differences set request_id = ?1'

const PARTNER_OF_WEBHOOK = `insert or ignore into partners (id, name, created_at, updated_at)
  values (?1, 'partner ' || ?1, '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z')`

describe('a list of values that zod cannot tell', () => {
  it('has every scope that a key of any release may have, and no other', async () => {
    const areas = [...SCOPES].flatMap((scope) =>
      Array.from(scope.matchAll(/\./g), ({ index }) => `${scope.slice(0, index)}.*`),
    )
    const old = ['read', 'write', '*'].map((action) => `integrations.inventorys.${action}`)
    const scopes = schemaOf('POST', KEYS, 'scopes').enum
    const all = new Set([...SCOPES, ...areas, 'settings.read', 'settings.write', ...old])
    expect(scopes.toSorted()).toEqual([...all].toSorted())
    const pinned = { name: unique('key'), release: '1.0', scopes }
    await documented('POST', KEYS, 201, 'success', admin.post(KEYS, pinned))
    const current = { name: unique('key'), scopes }
    const answer = await admin.post(KEYS, current)
    expect(answer.body.error.fields).toEqual(
      Object.fromEntries(
        old.map((scope) => [`scopes[${scopes.indexOf(scope)}]`, [expect.stringContaining(scope)]]),
      ),
    )
  })

  it('has every field that may identify a record, and no other', async () => {
    const fields = schemaOf('POST', `${SETTINGS}/partners/`, 'default_identifier_field').enum
    const known = Object.values(IDENTIFIERS).flatMap((of) => [...of.fields])
    expect(fields.toSorted()).toEqual([...new Set(known), null].toSorted())
  })
})

describe('the example of a request', () => {
  const examples = OPERATIONS.flatMap(({ method, path, operation }) => {
    const example = operation.requestBody?.content['application/json'].example
    return example ? [[`${method} ${path}`, method, path, example] as const] : []
  })

  it.each(sample(examples, 8))('is taken: %s', async (_, method, path, example) => {
    // What the examples are about.
    await admin.post('/products/', { sku: 'TEA-EARLGREY-100' })
    for (const code of ['A-01-1', 'Z-99-9']) await admin.post('/locations/', { code })
    const { partner_id } = example
    if (partner_id) await execute(PARTNER_OF_WEBHOOK, partner_id)
    const endpoint = ENDPOINTS.find((one) => one.method === method && templateOf(one.path) === path)
    const [, at] = await requestOf(endpoint as Endpoint, admin)
    const { request_id } = example
    if (request_id) await execute(SHOWN, request_id)
    const { body } = await admin.call(method, at, example)
    const { success, error, warnings, data } = body
    expect({ success, error, warnings }).toEqual({ success: true })
    expect(data.failed ?? 0).toBe(0)
  })
})

describe('a success', () => {
  it.each(titled)('%s', async (_, endpoint) => {
    const answer = await call(admin, await requestOf(endpoint, admin))
    expectDocumented(endpoint, answer, answer.status)
    expect(answer.body.success).toBe(true)
  })

  // PUT of a mapping refuses what it does not know.
  const warns = (endpoint: Endpoint) =>
    takesBody(endpoint) && !(endpoint.method === 'PUT' && endpoint.path.includes('/mappings/'))

  it.each(those(warns))('with a warning, %s', async (_, endpoint) => {
    const [method, path, body] = await requestOf(endpoint, admin)
    const answer = await admin.call(method, path, { ...body, colour: 'red' })
    expectDocumented(endpoint, answer, answer.status)
    expect(answer.body.warnings).toMatchObject([{ field: 'colour' }])
  })

  it.each(those(isList))('of a page that is not the last, %s', async (_, endpoint) => {
    const [, path] = await requestOf(endpoint, admin)
    await execute(ATTEMPT)
    if (path.includes('/sessions/')) await admin.signIn()
    if (path.includes('/line-differences/')) await requestOf(SEEN, admin)
    const answer = await admin.get(`${path}${endpoint.query ? '&' : '?'}limit=1`)
    expectDocumented(endpoint, answer, 200)
    expect(answer.body.data).toHaveLength(1)
  })
})

const SHAPED = "With an outbound mapping of the key's partner, records have the partner's fields"
const FIELDS = { orders: 'order_number', products: 'sku', locations: 'code', inventory: 'sku_code' }

/** A record of the answer, as a partner with a mapping of one field sees it. */
const recordIn = (data: Json) => {
  const [one = {}] = [data].flat()
  return one.record ?? one
}

const stocked = async () => pathOf('inventory', (await stock(admin)).location_code)

describe('a response that an outbound mapping changes', () => {
  it('says so, and no other does', async () => {
    const mappings = Object.fromEntries(
      Object.entries(FIELDS).map(([resource, field]) => [
        resource,
        { outbound: { fields: { named: field } } },
      ]),
    )
    const { api } = await openPartner({ mappings })
    for (const endpoint of ENDPOINTS.filter(({ area }) => area === 'integrations')) {
      const title = `${endpoint.method} ${endpoint.path}`
      const [method, path, body] = await requestOf(endpoint, admin)
      // The location of that request has no stock, so there is no record to look at.
      const at = title.endsWith('/inventory/:identifier/') ? await stocked() : path
      const answer = await call(api, [method, at, body])
      expect([title, answer.body.success]).toEqual([title, true])
      const isShaped = Object.keys(recordIn(answer.body.data)).join() === 'named'
      const { description } = responseOf(operationAt(method, endpoint.path), answer.status)
      expect([title, description.includes(SHAPED)]).toEqual([title, isShaped])
    }
  })
})
