import { describe, expect, it } from 'vitest'
import { itInDeep } from '../fixtures/depth.ts'
import { ENDPOINTS, requestOf } from '../fixtures/endpoints.ts'
import { openPartner } from '../fixtures/partner.ts'
import { type Answer, type Json, openAdmin } from '../fixtures/tenant.ts'
import { createOrder } from '../fixtures/warehouse.ts'
import { operationAt, resolve } from '../openapi/document.ts'

// Each list is asked with each pair of its parameters, each of which it takes alone. It takes the pair, or says in one
// way that it does not.

/** A value for each filter, by name. Of a range, the end comes before the beginning. */
const SAMPLES: Record<string, string> = {
  order_number: 'O',
  external_order_id: 'E',
  partner_id: crypto.randomUUID(),
  api_key_id: 'k',
  record_id: 'r',
  sku: 'S',
  code: 'L',
  location_code: 'L',
  sku_code: 'S',
  quantity_below: '102',
  limit: '5',
  wait: '0',
  is_active: 'false',
  method: 'GET',
  request_id: 'r',
  sender_id: 'd',
  webhook_id: crypto.randomUUID(),
  needs_code: 'S',
  record: 'n',
  search: 's',
  record_name: 'n',
  record_name_prefix: 'n',
  field: 'sku',
  error_code: 'NOT_FOUND',
  created_from: '2026-01-02',
  created_to: '2026-01-01',
  from: '2026-01-02',
  to: '2026-01-01',
}
const OWN: Record<string, Record<string, string>> = {
  '/changes/': { from: 'start', resource: 'orders' },
  '/audit-log/': { status: '404' },
  '/sessions/': { api_key_id: '1c3f8f52-20f4-4f0c-9d55-7b0f3f0f1f01' },
}
const EXPORTED = [
  '/orders/',
  '/products/',
  '/locations/',
  '/inventory/',
  '/partners/:id/item-codes/products/',
  '/partners/:id/item-codes/locations/',
]

/** The pairs that are refused, of all that there are. */
const REFUSED = [
  ...pairs('/orders/', ['status', 'order_number', 'external_order_id', 'partner_id']),
  '/orders/ created_from, created_to',
  // Alone, too: so large it needs one of the others.
  '/inventory/ location_code, quantity_below, sku_code',
  '/audit-log/ from, to',
  '/history/ from, to',
  '/changes/ cursor, from',
  '/changes/ cursor, resource',
  '/inventory/:identifier/history/ location_code',
  ...EXPORTED.flatMap((path) => [`${path} Accept, limit`, `${path} Accept, cursor`]),
]

/** What a cursor goes on with: what filters nothing, and the default. The audit log alone takes other filters. */
const CONTINUED = ['/changes/ wait', '/inventory/:identifier/history/ by']

function pairs(path: string, names: string[]): string[] {
  return names.flatMap((one, at) =>
    names.slice(at + 1).map((other) => `${path} ${[one, other].toSorted().join(', ')}`),
  )
}

const LISTS = ENDPOINTS.filter(
  ({ method, path }) => method === 'GET' && parametersOf(path).some(({ name }) => name === 'limit'),
)

function parametersOf(path: string): { name: string; schema: Json }[] {
  const { operation, document } = operationAt('GET', path)
  const parameters = (operation.parameters ?? []).map((one: Json) => resolve(document, one))
  return parameters.filter((one: Json) => one.in === 'query')
}

function shortPath(path: string): string {
  return path.replace(/^\/api\/\w+\/v1/, '')
}

/** Whose records are stock, with its location and product. */
const HISTORY = LISTS.find(({ path }) => path.endsWith('/history/')) as (typeof LISTS)[number]

function sampleOf(path: string, { name, schema }: { name: string; schema: Json }): string {
  const own = OWN[shortPath(path)]?.[name] ?? SAMPLES[name]
  const [first] = schema.enum ?? schema.anyOf?.[0]?.enum ?? []
  const value = own ?? first ?? /\w+/.exec(schema.pattern ?? '')?.[0]
  if (value === undefined) throw new Error(`${path} has a parameter without a sample: ${name}`)
  return value
}

/** What each parameter is sent as, and the record of the path. */
async function asking(endpoint: (typeof LISTS)[number]) {
  const [, address] = await requestOf(endpoint, api)
  const path = address.split('?')[0] ?? ''
  const names = parametersOf(endpoint.path).filter(({ name }) => name !== 'cursor')
  const samples = new Map(names.map((one) => [one.name, sampleOf(endpoint.path, one)]))
  const first = await api.get(`${path}?limit=1${endpoint.query ? `&${endpoint.query}` : ''}`)
  const cursor = first.body.pagination.next_cursor
  if (cursor !== null) samples.set('cursor', cursor)
  const ask = (asked: string[], headers = {}) => {
    const query = new URLSearchParams(asked.map((name) => [name, samples.get(name) ?? '']))
    return api.get(`${path}?${query}`, { headers })
  }
  return { names: [...samples.keys()], ask }
}

/** The names that are refused together; null if the pair is taken. */
function refusedIn({ status, body }: Answer, pair: string[]): string | null {
  if (status === 200) return null
  const { code, reason, fields } = body.error
  const isOther = pair.includes('cursor') && reason === 'INVALID_CURSOR'
  expect([pair, status, code, isOther || reason]).toEqual([
    pair,
    400,
    'VALIDATION_ERROR',
    isOther || 'CONFLICTING_PARAMETERS',
  ])
  return isOther ? null : Object.keys(fields).toSorted().join(', ')
}

const api = await openAdmin()

describe('parameters that do not go together', () => {
  itInDeep(
    'are refused in one way by all lists, and so is a cursor with other filters than its own',
    async () => {
      // So that lists have a second page.
      for (let n = 0; n < 2; n++) {
        await createOrder((await openPartner()).api)
        await requestOf(HISTORY, api)
      }
      const refused = new Set<string>()
      const continued: string[] = []
      for (const endpoint of LISTS) {
        const { names, ask } = await asking(endpoint)
        const path = shortPath(endpoint.path)
        for (const pair of names.flatMap((one, at) =>
          names.slice(at + 1).map((two) => [one, two]),
        )) {
          const answer = await ask(pair)
          const found = refusedIn(answer, pair)
          if (answer.status === 200 && pair.includes('cursor')) continued.push(`${path} ${pair[0]}`)
          if (found !== null) refused.add(`${path} ${found}`)
        }
        for (const name of EXPORTED.includes(path) ? ['limit', 'cursor'] : []) {
          const found = refusedIn(await ask([name], { Accept: 'text/csv' }), [name])
          refused.add(`${path} Accept, ${found}`)
        }
      }
      expect([...refused].toSorted()).toEqual(REFUSED.toSorted())
      const others = continued.filter((one) => !/^\/audit-log\/| limit$/.test(one))
      expect(others.toSorted()).toEqual(CONTINUED)
    },
  )

  it.each([
    '/api/integrations/v1/orders/?created_from=2026-01-02&created_to=2026-01-02',
    '/api/settings/v1/audit-log/?from=2026-01-02&to=2026-01-02',
  ])('are not the equal ends of a range, which is empty, on %s', async (path) => {
    const { status, body } = await api.get(path)
    expect([status, body.data]).toEqual([200, []])
  })
})
