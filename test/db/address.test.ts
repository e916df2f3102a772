import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { app } from '../../src/app.ts'
import { type AddressableResource, IDENTIFIERS } from '../../src/engine/mapping/identifier.ts'
import { intercept, type Watch } from '../fixtures/bindings.ts'
import { itInDeep, sample } from '../fixtures/depth.ts'
import { countedBindings } from '../fixtures/metering.ts'
import { givingUpFields, openPartner, partnerWith, saveMapping } from '../fixtures/partner.ts'
import { type Json, openTenant, unique } from '../fixtures/tenant.ts'
import {
  type Api,
  createLocation,
  createOrder,
  createProduct,
  dataOf,
  expectError,
  openApi,
  path,
} from '../fixtures/warehouse.ts'

const PARTNERS = '/api/settings/v1/partners/'

interface Index {
  name: string
  sql: string | null
}

beforeEach(givingUpFields)

const RESOURCES: [AddressableResource, (by: Api, fields?: object) => Promise<Json>, object][] = [
  ['orders', createOrder, { due_date: '2031-01-01' }],
  ['products', createProduct, { is_active: true }],
  ['locations', createLocation, { aisle: 'changed' }],
]

const METHODS = ['GET', 'PUT', 'DELETE'] as const

/** Every field that may identify a record, and a member of the free object. */
const FIELDS = RESOURCES.flatMap(([resource, , change]) => {
  const { fields, object } = IDENTIFIERS[resource]
  const members = [`${object}.ref`, `${object}.Été-_日本`, `${object}.${'x'.repeat(64)}`]
  return [...fields, ...members].map((field) => [resource, field, change] as const)
})

const COLUMNS = FIELDS.filter(([, field]) => !field.includes('.'))

interface Sent {
  text: string
  parameters: unknown[]
}

/** The real bindings, and a record of the statements that D1 gets. */
function listening() {
  const sent: Sent[] = []
  const DB_DEMO = new Proxy(env.DB_DEMO, {
    get(target, name) {
      if (name !== 'prepare') return Reflect.get(target, name).bind(target)
      return (text: string) => {
        const statement = target.prepare(text)
        const bind = statement.bind.bind(statement)
        statement.bind = (...parameters) => {
          sent.push({ text, parameters })
          return bind(...parameters)
        }
        return statement
      }
    },
  })
  return { sent, bindings: { ...env, DB_DEMO } }
}

/** The lines of the query plans that concern the table: `SEARCH orders USING ...`. */
async function planOf(table: string, sent: Sent[]): Promise<string[]> {
  const plans = await Promise.all(
    sent.map(async ({ text, parameters }) => {
      const plan = db.prepare(`explain query plan ${text}`).bind(...parameters)
      return (await plan.all<{ detail: string }>()).results.map(({ detail }) => detail)
    }),
  )
  const touches = new RegExp(`^(SCAN|SEARCH) "?${table}\\b`)
  return plans.flat().filter((detail) => touches.test(detail))
}

async function indexesOf(table: string): Promise<Index[]> {
  const indexes = db.prepare(
    "select name, sql from sqlite_schema where type = 'index' and tbl_name = ?",
  )
  return (await indexes.bind(table).all<Index>()).results
}

// They serve filters of lists, and searches in any case. No look-up by an identifier relies on them.
const OF_LISTS = [
  ...['orders_status', 'orders_partner'],
  ...['orders_customer_name', 'locations_name', 'locations_zone', 'locations_aisle'],
]

/** The names of the indexes whose first column is the field, without those of lists and searches. */
async function indexesOn(table: string, field: string): Promise<string[]> {
  const [column, key] = field.split('.')
  const found: string[] = []
  for (const { name, sql } of await indexesOf(table)) {
    if (OF_LISTS.includes(name)) continue
    const info = db.prepare('select name from pragma_index_info(?) where seqno = 0').bind(name)
    const first = await info.first<string | null>('name')
    const isOfColumn = first === column || sql?.includes(`cast(${column} as text)`)
    if (key === undefined ? isOfColumn : sql?.includes(`'$."${key}"'`)) found.push(name)
  }
  return found
}

/** Drops the field's indexes, as if no settings had ever named it. */
async function forgetIndexes(table: string, field: string): Promise<void> {
  for (const name of await indexesOn(table, field)) {
    if (!migrated.includes(name)) await db.exec(`drop index "${name}"`)
  }
}

/** Expects the statements to find the record by an index of the field, without a scan of the table. */
async function expectIndexed(table: string, field: string, sent: Sent[]) {
  const plan = await planOf(table, sent)
  expect(plan.filter((detail) => !detail.startsWith('SEARCH'))).toEqual([])
  const used = plan.flatMap((detail) => /INDEX (\S+)/.exec(detail)?.[1] ?? [])
  const indexes = await indexesOn(table, field)
  expect(used.filter((name) => indexes.includes(name))).not.toEqual([])
}

async function expectLookUpsIndexed(
  caller: Api,
  resource: string,
  field: string,
  identifier: string,
  change: object,
) {
  await caller.get(path(resource, identifier))
  for (const method of METHODS) {
    const { sent, bindings } = listening()
    const body = method === 'PUT' ? change : undefined
    await caller.call(method, path(resource, identifier), body, { bindings })
    await expectIndexed(resource, field, sent)
  }
}

const db = await openTenant()
const api = await openApi()
const indexes = await Promise.all(RESOURCES.map(([resource]) => indexesOf(resource)))
const migrated = indexes.flat().map(({ name }) => name)

describe.each(sample(FIELDS, 2))('an override of %s by %s', (resource, field, change) => {
  it('is looked up by the one index that there is of the field', async () => {
    await forgetIndexes(resource, field)
    const { api: caller } = await partnerWith(field, resource)
    await expectLookUpsIndexed(caller, resource, field, unique('none'), change)
    expect(await indexesOn(resource, field)).toHaveLength(1)
  })
})

describe.each(sample(COLUMNS, 2))('a default of %s by %s', (resource, field, change) => {
  it('is looked up by the one index there is when it came with the partner', async () => {
    await forgetIndexes(resource, field)
    const { api: caller } = await openPartner({ default_identifier_field: field })
    await expectLookUpsIndexed(caller, resource, field, unique('none'), change)
    expect(await indexesOn(resource, field)).toHaveLength(1)
  })

  it('is looked up by the one index there is when the partner was given it later', async () => {
    await forgetIndexes(resource, field)
    const partner = await openPartner()
    const body = { default_identifier_field: field }
    dataOf(await partner.admin.put(`${PARTNERS}${partner.id}/`, body), 200)
    await expectLookUpsIndexed(partner.api, resource, field, unique('none'), change)
    expect(await indexesOn(resource, field)).toHaveLength(1)
  })
})

describe.each(sample(RESOURCES, 1))(
  'a record of %s that is found by a member',
  (resource, create, change) => {
    const { object } = IDENTIFIERS[resource]

    it('is looked up by an index, and so are several', async () => {
      const value = unique('REF')
      const fields = { [object]: { ref: value } }
      const { api: caller } = await partnerWith(`${object}.ref`, resource)
      await create(api, fields)
      await expectLookUpsIndexed(caller, resource, `${object}.ref`, value, change)
      await create(api, fields)
      await expectLookUpsIndexed(caller, resource, `${object}.ref`, value, change)
    })

    it.each(METHODS)('takes one D1 round trip with %s', async (method) => {
      const value = unique('REF')
      const { id } = await create(api, { [object]: { ref: value } })
      const { api: caller } = await partnerWith(`${object}.ref`, resource)
      await caller.get(path(resource, value))
      const { bindings, calls } = countedBindings()
      let answered = 0
      const worker = {
        async fetch(request: Request, bound: Json, context: ExecutionContext) {
          const response = await app.fetch(request, bound, context)
          answered = calls.d1
          return response
        },
      }
      const body = method === 'PUT' ? change : undefined
      const options = { bindings, worker }
      const answer = await caller.call(method, path(resource, value), body, options)
      expect([dataOf(answer, 200).id, answered]).toEqual([id, 1])
      expect(answer.headers.get('Server-Timing')).toMatch(/key;desc="isolate".*round trips 1,/)
    })

    it.each(METHODS)(
      'is not said to be one of several by %s when it has just appeared',
      async (method) => {
        const value = unique('REF')
        const { api: caller } = await partnerWith(`${object}.ref`, resource)
        await caller.get(path(resource, 'none'))
        let asked = 0
        const batch: Watch = async (call) => {
          asked += 1
          const isFirst = asked === 1
          try {
            return await call()
          } finally {
            if (isFirst) await create(api, { [object]: { ref: value } })
          }
        }
        const bindings = { ...env, DB_DEMO: intercept(env.DB_DEMO, { batch }) }
        const body = method === 'PUT' ? change : undefined
        const answer = await caller.call(method, path(resource, value), body, { bindings })
        expectError(answer, 503, 'UNAVAILABLE')
        expect(answer.body.error.reason).toBe('RECORD_CHANGING')
        expect(answer.headers.get('Retry-After')).toBe('1')
        expect((await caller.get(path(resource, value))).status).toBe(200)
      },
    )

    it.each(METHODS)('takes two D1 round trips with %s when there is none', async (method) => {
      const { api: caller } = await partnerWith(`${object}.ref`, resource)
      await caller.get(path(resource, 'none'))
      const body = method === 'PUT' ? change : undefined
      const answer = await caller.call(method, path(resource, unique('none')), body)
      expectError(answer, 404, 'NOT_FOUND')
      expect(answer.headers.get('Server-Timing')).toMatch(/round trips 2,/)
    })

    itInDeep('has an index for each of two keys that differ in case', async () => {
      const key = unique('key')
      const fields = [`${object}.${key}`, `${object}.${key.toUpperCase()}`]
      const partners: { api: Api }[] = []
      for (const field of fields) partners.push(await partnerWith(field, resource))
      const indexes = await Promise.all(fields.map((field) => indexesOn(resource, field)))
      expect(indexes.map(({ length }) => length)).toEqual([1, 1])
      expect(indexes[0]).not.toEqual(indexes[1])

      const value = unique('REF')
      const record = await create(api, { [object]: { [key]: value } })
      const answers = await Promise.all(
        partners.map((partner) => partner.api.get(path(resource, value))),
      )
      expect(answers.map(({ status, body }) => [status, body.data?.id])).toEqual([
        [200, record.id],
        [404, undefined],
      ])
      for (const [at, field] of fields.entries()) {
        await expectLookUpsIndexed(partners[at]?.api as Api, resource, field, value, change)
      }
    })

    it('has one index however often the mapping is saved, and by however many partners', async () => {
      const field = `${object}.${unique('key')}`
      const mapping = { identifier_field: field }
      const first = await partnerWith(field, resource)
      await saveMapping(first.admin, first.id, resource, mapping)
      const second = await partnerWith(field, resource)
      await saveMapping(second.admin, second.id, resource, mapping)
      expect(await indexesOn(resource, field)).toHaveLength(1)
      for (const partner of [first, second]) {
        await expectLookUpsIndexed(partner.api, resource, field, unique('none'), change)
      }
    })

    it('has an index from the moment the mapping moves to another key', async () => {
      const [old, renamed] = [`${object}.${unique('key')}`, `${object}.${unique('key')}`]
      const partner = await partnerWith(old, resource)
      await saveMapping(partner.admin, partner.id, resource, { identifier_field: renamed })
      await expectLookUpsIndexed(partner.api, resource, renamed, unique('none'), change)
    })

    it.each([
      ['of no partner', 404, () => crypto.randomUUID(), () => `${object}.${unique('key')}`],
      ['by what is no field', 400, null, () => `${object}.a"b`],
      ["by another resource's object", 400, null, () => 'elsewhere.key'],
      ['by no field at all', 200, null, () => null],
    ])('has no index by a mapping %s', async (_, status, otherId, fieldOf) => {
      const { id, admin } = await openPartner()
      const before = await indexesOf(resource)
      const at = `${PARTNERS}${otherId?.() ?? id}/mappings/${resource}/`
      expect((await admin.put(at, { identifier_field: fieldOf() })).status).toBe(status)
      expect(await indexesOf(resource)).toEqual(before)
    })
  },
)
