import { beforeEach, describe, expect, it } from 'vitest'
import { openPartner } from '../fixtures/partner.ts'
import { type Api, openTenant } from '../fixtures/tenant.ts'

// An isolate remembers callers and the mappings of their partners, as long as there is room for them.

beforeEach(async () => {
  await openTenant()
})

/** Where the service found the caller: `isolate`, `kv` or `d1`. */
async function originFor(api: Api): Promise<string | undefined> {
  const { status, headers } = await api.get('/locations/')
  expect(status).toBe(200)
  return /key;desc="?(\w+)/.exec(headers.get('Server-Timing') ?? '')?.[1]
}

/** About as large as a mapping may be: 200 rules, and a fixed value of 57,000 characters. */
function largeMapping(source: string) {
  const rules = Array.from({ length: 199 }, (_, n) => [`field_${n}`, source])
  const text = { value: 'x'.repeat(57_000) }
  return { outbound: { fields: { ...Object.fromEntries(rules), text } } }
}

const SMALL = { orders: { outbound: { fields: { number: 'order_number' } } } }
const LARGE = { orders: largeMapping('order_number'), products: largeMapping('sku') }

describe('what an isolate remembers of callers', () => {
  it('stays, with small mappings, for as many partners as there may be', async () => {
    const apis: Api[] = []
    for (let n = 0; n < 40; n++) apis.push((await openPartner({ mappings: SMALL })).api)
    for (const api of apis) await originFor(api)
    for (const api of apis) expect(await originFor(api)).toBe('isolate')
  })

  it('goes with mappings that have no room beside others, the least used first', async () => {
    const small = await openPartner({ mappings: SMALL })
    await originFor(small.api)
    const large: Api[] = []
    for (let n = 0; n < 12; n++) large.push((await openPartner({ mappings: LARGE })).api)
    for (const api of large) {
      await originFor(api)
      expect(await originFor(small.api)).toBe('isolate')
    }
    const [first, last] = [large[0] as Api, large.at(-1) as Api]
    expect(await originFor(last)).toBe('isolate')
    expect(await originFor(first)).toBe('kv')
    expect(await originFor(first)).toBe('isolate')
  })
})
