import { beforeAll, describe, expect, it } from 'vitest'
import { SCOPES } from '../../src/engine/identity/scopes.ts'
import { inDeepPass, sample } from '../fixtures/depth.ts'
import { ENDPOINTS, type Endpoint, requestOf, strayRequestOf } from '../fixtures/endpoints.ts'
import { admin } from '../fixtures/opened.ts'
import { expectRefusal } from '../fixtures/refusal.ts'
import { allRows } from '../fixtures/sql.ts'
import { type Api, client, createKey } from '../fixtures/tenant.ts'

// Spec 5.4 and docs/keys-and-settings.md, Scopes: which scope opens what.

const holders = new Map<string, Api>()

beforeAll(async () => {
  // Beforehand: a key made meanwhile would change settings under the others' requests.
  for (const scope of [...SCOPES, ...WILDCARDS.map(([wildcard]) => wildcard)]) await holderOf(scope)
})

/** The client of a key with these scopes and no others. */
async function holderOf(...scopes: string[]): Promise<Api> {
  const name = scopes.join()
  const holder = holders.get(name) ?? client((await createKey(scopes)).value)
  holders.set(name, holder)
  return holder
}

const WILDCARDS: [string, (endpoint: Endpoint) => boolean][] = [
  ['integrations.*', ({ area }) => area === 'integrations'],
  ['integrations.orders.*', opensAll('integrations.orders.')],
  ['integrations.products.*', opensAll('integrations.products.')],
  ['integrations.locations.*', opensAll('integrations.locations.')],
  ['integrations.inventory.*', opensAll('integrations.inventory.')],
  ['settings.*', ({ area }) => area === 'settings'],
  ['settings.keys.*', opensAll('settings.keys.')],
  ['settings.partners.*', opensAll('settings.partners.')],
  ['settings.workspace.*', opensAll('settings.workspace.')],
  ['settings.audit.*', opensAll('settings.audit.')],
  ['settings.documents.*', opensAll('settings.documents.')],
  ['settings.read', ({ scope }) => /^settings\.(?!documents|people)\w+\.read$/.test(scope)],
  ['settings.write', ({ scope }) => /^settings\.(?!documents|people)\w+\.write$/.test(scope)],
]

function opensAll(prefix: string) {
  return ({ scope }: Endpoint) => scope.startsWith(prefix)
}

/** Nobody can be given these; should a database hold one, it opens nothing. */
const MEANINGLESS = [
  '*',
  '.*',
  '*.*',
  'integrations',
  'integrations.',
  'integrations.*.read',
  'integrations.*.*',
  'integrations.order.*',
  'integrations.inventories.*',
  'INTEGRATIONS.*',
  'settings',
  'settings.*.*',
  'set.*',
]

const CHANGING = ENDPOINTS.filter(({ method }) => method !== 'GET')
const READING = ENDPOINTS.filter(({ method }) => method === 'GET')

async function contents() {
  const tables = ['workspace', 'api_keys', 'orders', 'products', 'locations', 'inventory']
  return await Promise.all(tables.map(async (table) => await allRows(`select * from ${table}`)))
}

describe.each(ENDPOINTS)('$method $path', (endpoint) => {
  const { scope, others: besides = [] } = endpoint

  it(`is open to a key with ${scope} alone`, async () => {
    const answer = await (await holderOf(scope, ...besides)).call(
      ...(await requestOf(endpoint, admin)),
    )
    expect([200, 201]).toContain(answer.status)
    expect(answer.body.success).toBe(true)
  })

  inDeepPass(() => {
    it('is closed to a key with any other single scope, whether the record exists or not', async () => {
      const request = await strayRequestOf(endpoint, admin)
      const all = SCOPES.filter((name) => name !== scope)
      const others = sample(all, 4)
      const answers = await Promise.all(
        others.map(async (other) => (await holderOf(other)).call(...request)),
      )
      expect(all).toHaveLength(SCOPES.length - 1)
      for (const answer of answers) {
        expectRefusal(answer, 403, 'SCOPE_MISSING')
        expect(answer.body.detail).toContain(scope)
      }
    })
  })

  it('is closed to a key with every other scope together, and then changes nothing', async () => {
    const request = await requestOf(endpoint, admin)
    const holder = await holderOf(...SCOPES.filter((name) => name !== scope))
    const before = await contents()
    expectRefusal(await holder.call(...request), 403, 'SCOPE_MISSING')
    expect(await contents()).toEqual(before)
  })
})

describe.each(sample(ENDPOINTS, 8))('$method $path', (endpoint) => {
  const { others: besides = [] } = endpoint

  it('is closed to a key without scopes and to one whose scopes mean nothing', async () => {
    for (const scopes of [[], MEANINGLESS]) {
      const holder = await holderOf(...scopes)
      expectRefusal(
        await holder.call(...(await strayRequestOf(endpoint, admin))),
        403,
        'SCOPE_MISSING',
      )
    }
  })

  it('asks for the scope before it looks at the body', async () => {
    const [method, path] = await strayRequestOf(endpoint, admin)
    const body = method === 'GET' ? undefined : '{"broken'
    expectRefusal(await (await holderOf()).call(method, path, body), 403, 'SCOPE_MISSING')
  })

  it('is opened by the wildcards above it', async () => {
    for (const [wildcard] of WILDCARDS.filter(([, opens]) => opens(endpoint))) {
      const request = await requestOf(endpoint, admin)
      const answer = await (await holderOf(wildcard, ...besides)).call(...request)
      expect([wildcard, answer.body.success]).toEqual([wildcard, true])
    }
  })

  inDeepPass(() => {
    it('is closed to every other wildcard', async () => {
      const request = await strayRequestOf(endpoint, admin)
      const others = WILDCARDS.filter(([, opens]) => !opens(endpoint))
      const answers = await Promise.all(
        sample(others, 4).map(async ([wildcard]) => (await holderOf(wildcard)).call(...request)),
      )
      expect(others.length).toBeGreaterThanOrEqual(4)
      for (const answer of answers) expectRefusal(answer, 403, 'SCOPE_MISSING')
    })
  })
})

describe.each(sample(CHANGING, 5))(
  'a dry run of $method $path',
  ({ scope, others: besides = [], ...endpoint }) => {
    it('needs the same scope', async () => {
      const [method, path, body] = await requestOf({ scope, ...endpoint }, admin)
      const dry = `${path}?dry_run=true`
      const others = SCOPES.filter((name) => name !== scope)
      const closed = await (await holderOf(...others)).call(method, dry, body)
      expectRefusal(closed, 403, 'SCOPE_MISSING')
      expect(closed.headers.get('X-Dry-Run')).toBe('true')
      const open = await (await holderOf(scope, ...besides)).call(method, dry, body)
      expect([200, 201]).toContain(open.status)
    })
  },
)

describe.each(sample(READING, 5))('HEAD $path', (endpoint) => {
  it('needs the scope of GET, and answers like it without a body', async () => {
    const [, path] = await requestOf(endpoint, admin)
    const holder = await holderOf(endpoint.scope, ...(endpoint.others ?? []))
    const answer = await holder.call('HEAD', path)
    expect([answer.status, answer.text]).toEqual([200, ''])
    expect(answer.headers.get('Content-Type')).toMatch(/^application\/json\b/)
    expect(answer.headers.get('X-Request-Id')).toMatch(/^[0-9a-f-]{36}$/)
  })

  it('is closed to a key with every other scope together', async () => {
    const [, path] = await requestOf(endpoint, admin)
    const holder = await holderOf(...SCOPES.filter((name) => name !== endpoint.scope))
    const answer = await holder.call('HEAD', path)
    expect([answer.status, answer.text]).toEqual([403, ''])
    expect(answer.headers.get('Cache-Control')).toBe('no-store')
  })

  it('is closed without a key and with an unknown one', async () => {
    expect((await client(null).call('HEAD', endpoint.path)).status).toBe(403)
    expect((await client('secret').call('HEAD', endpoint.path)).status).toBe(401)
  })
})
