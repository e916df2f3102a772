import { beforeAll, describe, expect, it } from 'vitest'
import { sample } from '../fixtures/depth.ts'
import {
  asked,
  ENDPOINTS,
  type Endpoint,
  requestOf,
  strayRequestOf,
} from '../fixtures/endpoints.ts'
import type { Json } from '../fixtures/tenant.ts'
import { createLocation, path, stock } from '../fixtures/warehouse.ts'
import { type Callers, sideBySide } from '../releases/callers.ts'
import { shippedOrderPath } from '../releases/differences.ts'
import { OPERATIONS_1_0, operationAt, resolve, responseOf, templateOf } from './document.ts'
import { call, expectDocumented, takesBody } from './documented.ts'

// The document of release 1.0, held against what a key of release 1.0 gets.

const IDENTIFIED = { orders: 'order_number', products: 'sku', locations: 'code' }
const BY_NAMES = {
  mappings: Object.fromEntries(
    Object.entries(IDENTIFIED).map(([resource, identifier_field]) => [
      resource,
      { identifier_field },
    ]),
  ),
}
const MAPPED = {
  mappings: { orders: { inbound: { fields: { 'items[].sku_code': 'lines[].a.b' } } } },
}

const inIt = ({ method, path }: Endpoint) =>
  OPERATIONS_1_0.some((one) => one.method === method && one.path === templateOf(path))
const own = ENDPOINTS.filter(({ area }) => area === 'integrations')
const titled = (endpoints: Endpoint[]) =>
  endpoints.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const)
const there = titled(own.filter(inIt))

const expectTrue = (endpoint: Pick<Endpoint, 'method' | 'path'>, ...[answer, status]: Told) =>
  expectDocumented(endpoint, answer, status, OPERATIONS_1_0)
type Told = [answer: Parameters<typeof expectDocumented>[1], status: number]

const at = (method: string, below: string) => ({ method, path: `/api/integrations/v1${below}` })

/** The names of the query parameters and headers, and of the fields of the body and of its rows. */
function inputsOf({ method, path }: Endpoint, among?: typeof OPERATIONS_1_0): string[] {
  const { operation, document } = operationAt(method, path, among)
  const parameters = (operation.parameters ?? []).map((one: Json) => resolve(document, one))
  const body = operation.requestBody?.content['application/json'].schema
  return [
    ...parameters.map(({ name }: Json) => name),
    ...Object.keys(resolve(document, body ?? {}).properties ?? {}),
  ]
}

let callers: Callers

beforeAll(async () => {
  callers = await sideBySide(BY_NAMES)
})

describe('the document of release 1.0', () => {
  it('has the endpoints that the release has', async () => {
    for (const [, endpoint] of titled(own)) {
      const answer = await call(callers.pinned, await requestOf(endpoint, callers.admin))
      expect([endpoint.path, answer.status === 404]).toEqual([endpoint.path, !inIt(endpoint)])
    }
  })

  it('speaks of nothing that the release lacks, but where it lists the differences', () => {
    for (const { operation, document } of OPERATIONS_1_0) {
      const text = JSON.stringify([operation, document.components.parameters])
      for (const name of [
        'dry_run',
        'If-Match',
        'If-None-Match',
        'ETag',
        'if_quantity',
        'text/csv',
      ]) {
        expect(text).not.toContain(name)
      }
      expect(text).not.toMatch(/history|changes\/|by=sku|elease 1\.0 (?:does|has)/)
    }
  })
})

describe.each(sample(there, 8))('%s of release 1.0', (_, endpoint) => {
  it('succeeds as documented', async () => {
    const answer = await call(callers.pinned, await requestOf(endpoint, callers.admin))
    expect(answer.body.success).toBe(true)
    expectTrue(endpoint, answer, answer.status)
  })

  it('knows the inputs that its document lists, and ignores all others of the current one', async () => {
    const known = inputsOf(endpoint, OPERATIONS_1_0)
    const ignored = inputsOf(endpoint).filter((name) => !known.includes(name))
    const [method, address, body] = await requestOf(endpoint, callers.admin)
    const ofBody = takesBody(endpoint) ? ignored.filter((name) => !/^(If-|dry_run)/.test(name)) : []
    const inQuery = takesBody(endpoint) ? [] : ignored.filter((name) => !name.startsWith('If-'))
    const headers = ignored.filter((name) => name.startsWith('If-'))
    const sent = inQuery.reduce((sofar, name) => asked(sofar, `${name}=nonsense`), address)
    const answer = await callers.pinned.call(
      method,
      sent,
      takesBody(endpoint)
        ? { ...body, ...Object.fromEntries(ofBody.map((name) => [name, {}])) }
        : undefined,
      { headers: Object.fromEntries(headers.map((name) => [name, '"x"'])) },
    )
    expectTrue(endpoint, answer, answer.status)
    expect(answer.body.success).toBe(true)
    const warned = (answer.body.warnings ?? []).map(({ field }: Json) => field)
    expect(warned.toSorted()).toEqual([...ofBody, ...inQuery, ...headers].toSorted())
  })

  it('refuses as documented what is not there, and what is wrong', async () => {
    const { pinned, admin } = callers
    const stray = await call(pinned, await strayRequestOf(endpoint, admin))
    expectTrue(endpoint, stray, stray.status)
    const [method, address, body] = await requestOf(endpoint, admin)
    const torn = takesBody(endpoint)
      ? await pinned.call(method, address, '[1]')
      : await pinned.call(method, address, body, { headers: { 'X-Read-After': 'x' } })
    expectTrue(endpoint, torn, 400)
  })
})

describe('an error that release 1.0 gives another status', () => {
  it('is documented with it: of a mapping', async () => {
    const { pinned } = await sideBySide(MAPPED)
    const answer = await pinned.post('/orders/', { order_number: 'x', lines: [{ a: 'no object' }] })
    expectTrue(at('POST', '/orders/'), answer, 400)
    expect(answer.body.error.code).toBe('MAPPING_ERROR')
    for (const { operation } of OPERATIONS_1_0)
      expect(operation.responses).not.toHaveProperty('422')
  })

  it.each([
    ['DELETE', undefined],
    ['PUT', { status: 'cancelled' }],
  ])('is documented with it: of a shipped order, by %s', async (method, body) => {
    const answer = await callers.pinned.call(method, await shippedOrderPath(callers.admin), body)
    const endpoint = at(method, '/orders/{identifier}/')
    expectTrue(endpoint, answer, 500)
    const { content } = responseOf(operationAt(method, endpoint.path, OPERATIONS_1_0), 500)
    const { SERVICE_ERROR } = content['application/json'].examples
    expect(SERVICE_ERROR.value.error.reason).toBe(answer.body.error.reason)
  })

  it('is documented: of an identifier that no setting gives a meaning', async () => {
    const { pinned } = await sideBySide()
    for (const resource of Object.keys(IDENTIFIED)) {
      for (const method of ['GET', 'PUT', 'DELETE']) {
        const answer = await pinned.call(
          method,
          `/${resource}/x/`,
          method === 'PUT' ? {} : undefined,
        )
        expectTrue(at(method, `/${resource}/{identifier}/`), answer, 400)
      }
    }
  })
})

describe('an upload of release 1.0', () => {
  it('has no if_quantity, which has no effect', async () => {
    const row = await stock(callers.admin, { quantity: 3 })
    const inventory = [{ ...row, quantity: 4, if_quantity: 99 }]
    const answer = await callers.pinned.post('/inventory/', { inventory })
    expectTrue(at('POST', '/inventory/'), answer, 200)
    expect([answer.body.data.updated, answer.body.warnings.length]).toEqual([1, 1])
    const { operation, document } = operationAt('POST', at('', '/inventory/').path, OPERATIONS_1_0)
    const body = resolve(document, operation.requestBody.content['application/json'].schema)
    expect(Object.keys(body.properties.inventory.items.properties)).toEqual(Object.keys(row))
  })

  it('shows stock at a location without its code', async () => {
    const { code } = await createLocation(callers.admin)
    const answer = await callers.pinned.get(path('inventory', code))
    expectTrue(at('GET', '/inventory/{identifier}/'), answer, 200)
  })
})
