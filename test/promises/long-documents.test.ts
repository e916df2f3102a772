import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { sample } from '../fixtures/depth.ts'
import { openPartner, type PartnerOptions } from '../fixtures/partner.ts'
import { client, createKey, unique } from '../fixtures/tenant.ts'

// One thread serves all requests of an isolate: long documents that come together let others in between.

const AT_ONCE = 10
const EM_SPACE = '\u2003'

const many = <T>(length: number, make: (index: number) => T): T[] =>
  Array.from({ length }, (_, index) => make(index))
/** So many rules, and one that cannot read the document: a refusal comes right after the mapping. */
const mappingOf = (count: number, rule: (index: number) => [string, unknown]) => {
  const fields = Object.fromEntries([
    ...many(count, rule),
    ['metadata.z', { from: 'z', as: 'integer' }],
  ])
  return { orders: { inbound: { unmapped: 'drop', fields } } }
}

/** Real D1 that counts the batches that begin. */
function counting() {
  const state = { begun: 0 }
  const DB_DEMO = new Proxy(env.DB_DEMO, {
    get(target, name) {
      const member = Reflect.get(target, name)
      if (name !== 'batch') return member.bind(target)
      return (statements: D1PreparedStatement[]) => {
        state.begun += 1
        return target.batch(statements)
      }
    },
  })
  return { state, bindings: { ...env, DB_DEMO } }
}

/** How many of the documents that came at once had been worked on when a small request was answered that came with them. */
async function workedOnBefore(options: PartnerOptions, body: object): Promise<number> {
  const partner = await openPartner(options)
  const small = client((await createKey(['integrations.*'], { tenant: 'other' })).value)
  const { state, bindings } = counting()
  const order = { ...body, z: 'z', number: unique('O'), order_number: unique('O') }
  await partner.api.post('/orders/', order, { bindings })
  await small.get('/orders/')
  const before = state.begun
  const long = many(AT_ONCE, () => partner.api.post('/orders/', order, { bindings }))
  expect((await small.get('/orders/')).status).toBe(200)
  const begun = state.begun - before
  for (const { status } of await Promise.all(long))
    expect(status).toBe(options.mappings ? 422 : 400)
  expect(state.begun - before).toBeGreaterThanOrEqual(AT_ONCE)
  return begun
}

describe('long documents at once let a small request in', () => {
  it.each<[string, PartnerOptions, object]>(
    sample<[string, PartnerOptions, object]>(
      [
        [
          'while they are mapped, though their texts are short',
          {
            mappings: mappingOf(40, (at) => [
              `metadata.f${at}`,
              { from: `l[?${many(20, () => '@.a==@.b').join('&&')}&&@.z==${at}].z`, as: 'string' },
            ]),
          },
          { l: many(100, () => ({ a: 'x'.repeat(200), b: 'x'.repeat(200), z: -1 })) },
        ],
        [
          'while they are mapped, which reads a long text',
          { mappings: mappingOf(199, (at) => [`metadata.f${at}`, { from: 't', as: 'string' }]) },
          { t: EM_SPACE.repeat(100_000) },
        ],
        ['while they are read', {}, { l: many(80_000, (at) => [at]) }],
      ],
      1,
    ),
  )('%s', async (_, options, body) => {
    expect(await workedOnBefore(options, body)).toBeLessThan(3)
  })
})
