import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { intercept, type Watch } from '../fixtures/bindings.ts'
import { inDeepPass, sample } from '../fixtures/depth.ts'
import type { Fault } from '../fixtures/fault.ts'
import { fillFields } from '../fixtures/full-workspace.ts'
import { faultyBindings } from '../fixtures/harness.ts'
import { admin, db } from '../fixtures/opened.ts'
import { markupOf } from '../fixtures/pages-read.ts'
import { expectReason } from '../fixtures/refusal.ts'
import { openDashboard } from '../fixtures/session.ts'
import { allRows } from '../fixtures/sql.ts'
import { type Answer, type Api, client, createKey, unique } from '../fixtures/tenant.ts'
import { dataOf } from '../fixtures/warehouse.ts'

// A field that settings name as an identifier is indexed, and no other one is; at most 20 are.

const PARTNERS = '/api/settings/v1/partners/'
const FIELDS_MAX = 20

beforeEach(async () => {
  await db.batch([
    db.prepare('delete from field_mappings'),
    db.prepare("update partners set deleted_at = 'then', default_identifier_field = null"),
  ])
  // Cleans up after the test before.
  await admin.delete(`${PARTNERS}${await newPartner()}/`)
  expect(await indexed()).toEqual([])
})

/** The fields that are indexed for settings, as `orders notes`. */
async function indexed(): Promise<string[]> {
  const results = await allRows<{ name: string }>(
    "select name from sqlite_master where type = 'index' and name glob '*[a-z]_by_*'",
  )
  return results
    .map(({ name }) => {
      const [resource, hex = ''] = name.split('_by_')
      return `${resource} ${Buffer.from(hex, 'hex')}`
    })
    .toSorted()
}

async function newPartner(default_identifier_field: string | null = null): Promise<string> {
  const fields = { name: unique('partner'), default_identifier_field }
  return dataOf(await admin.post(PARTNERS, fields), 201).id
}

const at = (partner: string, resource = 'orders') => `${PARTNERS}${partner}/mappings/${resource}/`
const save = (partner: string, identifier_field: string | null, resource?: string, api = admin) =>
  api.put(at(partner, resource), { identifier_field })

/** A partner whose mapping of orders names the field. */
async function partnerBy(field: string): Promise<string> {
  const partner = await newPartner()
  expect((await save(partner, field)).status).toBe(200)
  return partner
}

const ENDS: [string, (partner: string, api: Api) => Promise<Answer>][] = [
  ['is saved without it', (partner, api) => save(partner, null, 'orders', api)],
  ['is saved with another', (partner, api) => save(partner, 'order_number', 'orders', api)],
  ['is deleted', (partner, api) => api.delete(at(partner))],
  ['is deleted with its partner', (partner, api) => api.delete(`${PARTNERS}${partner}/`)],
]

describe('the index of a field of a mapping', () => {
  it.each(sample(ENDS, 2))('goes when the mapping %s', async (_, end) => {
    const partner = await partnerBy('metadata.ref')
    expect(await indexed()).toEqual(['orders metadata.ref'])
    expect((await end(partner, admin)).status).toBe(200)
    expect(await indexed()).toEqual([])
  })

  it.each(sample(ENDS, 2))(
    'stays when the mapping %s, while another one names the field',
    async (_, end) => {
      const [partner] = [await partnerBy('notes'), await partnerBy('notes')]
      expect((await end(partner, admin)).status).toBe(200)
      expect(await indexed()).toEqual(['orders notes'])
    },
  )

  it('goes for the one and comes for the other when the mapping names another', async () => {
    const partner = await partnerBy('metadata.a')
    await save(partner, 'metadata.b')
    expect(await indexed()).toEqual(['orders metadata.b'])
  })

  it("stays while it is some partner's default", async () => {
    const partner = await partnerBy('notes')
    const other = await newPartner('notes')
    await admin.delete(at(partner))
    expect(await indexed()).toEqual(['orders notes'])
    await admin.put(`${PARTNERS}${other}/`, { default_identifier_field: null })
    expect(await indexed()).toEqual([])
  })

  it('is of one resource, whatever another one calls its own', async () => {
    const partner = await newPartner()
    await save(partner, 'metadata.ref')
    await save(partner, 'metadata.ref', 'locations')
    await admin.delete(at(partner))
    expect(await indexed()).toEqual(['locations metadata.ref'])
  })
})

describe('the index of a default identifier', () => {
  it.each<[string, (partner: string) => Promise<Answer>]>([
    ['is taken away', (id) => admin.put(`${PARTNERS}${id}/`, { default_identifier_field: null })],
    ['is another', (id) => admin.put(`${PARTNERS}${id}/`, { default_identifier_field: 'sku' })],
    ['goes with the partner', (id) => admin.delete(`${PARTNERS}${id}/`)],
  ])('goes when the default %s', async (_, end) => {
    const partner = await newPartner('zone')
    expect(await indexed()).toEqual(['locations zone'])
    expect((await end(partner)).status).toBe(200)
    expect(await indexed()).toEqual([])
  })

  it('stays when the partner is renamed', async () => {
    const partner = await newPartner('zone')
    await admin.put(`${PARTNERS}${partner}/`, { name: unique('partner') })
    expect(await indexed()).toEqual(['locations zone'])
  })

  it('is none for a field that is indexed anyway', async () => {
    for (const field of ['id', 'external_order_id', 'sku']) await newPartner(field)
    expect(await indexed()).toEqual([])
  })
})

describe('an index that no setting names any more', () => {
  it('as there may be from before, goes with the next change of a partner', async () => {
    await partnerBy('notes')
    await db.exec('create index "orders_by_6d657461646174612e78" on orders (notes)')
    expect(await indexed()).toEqual(['orders metadata.x', 'orders notes'])
    await newPartner()
    expect(await indexed()).toEqual(['orders notes'])
  })
})

describe('a change that ends the last use of a field', () => {
  inDeepPass(() => {
    it('and drops its index is one transaction, whichever call fails', async () => {
      const faults: Fault[] = [0, 1, 2].flatMap((nth) => [
        { on: 'd1', nth, times: 1, how: 'before', message: 'D1_ERROR: no such thing' },
        { on: 'd1', nth, times: 1, how: 'after', message: 'D1_ERROR: no such thing' },
        { on: 'd1', nth, times: 1, how: 'after', message: 'D1_ERROR: Network connection lost.' },
      ])
      for (const fault of faults) {
        const partner = await partnerBy('metadata.ref')
        await admin.get(PARTNERS)
        const { bindings, drained } = faultyBindings([fault])
        await admin.delete(at(partner), undefined, { bindings })
        await drained()
        const { status } = await admin.get(at(partner))
        expect([fault, await indexed()]).toEqual([
          fault,
          status === 200 ? ['orders metadata.ref'] : [],
        ])
        await admin.delete(`${PARTNERS}${partner}/`)
      }
    })
  })

  it.each(sample(ENDS, 1))(
    'keeps the index of a field that comes into use meanwhile: the mapping %s',
    async (_, end) => {
      const partner = await partnerBy('metadata.ref')
      const other = await newPartner()
      const { value } = await createKey(['settings.*'])
      await client(value).get(PARTNERS)
      let batches = 0
      const batch: Watch = async (call) => {
        batches += 1
        // Between the look at what is left over and the change that drops it.
        if (batches === 3) await save(other, 'metadata.ref')
        return await call()
      }
      const bindings = { ...env, DB_DEMO: intercept(env.DB_DEMO, { batch }) }
      expect((await end(partner, client(value, { bindings }))).status).toBe(200)
      expect(await indexed()).toEqual(['orders metadata.ref'])
      expect((await admin.get(at(other))).body.data.identifier_field).toBe('metadata.ref')
    },
  )

  it('leaves an index for every field in use when many begin and end at once', async () => {
    const partners = await Promise.all([1, 2, 3, 4].map(() => newPartner()))
    const fields = ['metadata.a', 'metadata.b', null]
    const turns = Array.from({ length: 6 }, (_, n) => n)
    for (const turn of turns) {
      await Promise.all(
        partners.map((partner, n) => save(partner, fields[(turn * n + n) % 3] ?? null)),
      )
      const results = await allRows<{ field: string }>(
        "select distinct 'orders ' || identifier_field as field from field_mappings where identifier_field is not null order by 1",
      )
      expect(await indexed()).toEqual(results.map(({ field }) => field))
    }
  })
})

const MESSAGE = `A workspace can have at most ${FIELDS_MAX} identifier fields besides id, order_number, sku, code and external_order_id`

function expectFull(answer: Answer, field: string) {
  expectReason(answer, 400, 'SERVICE_ERROR', 'TOO_MANY_IDENTIFIER_FIELDS')
  expect(answer.body.detail).toContain(MESSAGE)
  expect(Object.keys(answer.body.error.fields)).toEqual([field])
}

describe('identifier fields', () => {
  it('are at most 20', async () => {
    const [first = ''] = await fillFields(FIELDS_MAX)
    const other = await newPartner()
    const before = [await indexed(), (await admin.get(at(other))).status]
    expectFull(await save(other, 'metadata.more'), 'identifier_field')
    expectFull(await save(other, 'metadata.more', 'locations'), 'identifier_field')
    const named = { name: unique('partner'), default_identifier_field: 'zone' }
    expectFull(await admin.post(PARTNERS, named), 'default_identifier_field')
    expectFull(await admin.put(`${PARTNERS}${other}/`, named), 'default_identifier_field')
    expect([await indexed(), (await admin.get(at(other))).status]).toEqual(before)
    // What is in use may be used, and what has one may be given up for another.
    expect((await save(other, 'metadata.k3')).status).toBe(200)
    expect((await save(other, 'order_number')).status).toBe(200)
    expect((await save(first, 'metadata.more')).status).toBe(200)
    expect(await indexed()).toHaveLength(FIELDS_MAX)
    await admin.delete(`${PARTNERS}${first}/`)
    expect((await save(other, 'metadata.another')).status).toBe(200)
  })

  inDeepPass(() => {
    it('are at most 20 when many are named at once', async () => {
      await fillFields(FIELDS_MAX - 2)
      const partners = await Promise.all([1, 2, 3, 4, 5].map(() => newPartner()))
      const answers = await Promise.all(partners.map((id, n) => save(id, `metadata.more${n}`)))
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 400, 400, 400])
      expect(await indexed()).toHaveLength(FIELDS_MAX)
    })

    it('that are too many from before are kept, and may become fewer', async () => {
      const partners = await fillFields(FIELDS_MAX)
      const [first = '', second = '', third = ''] = partners
      const old = `insert into field_mappings
        select id, 'locations', 'metadata.old', null, null, '', 1 from partners where id = ?`
      await db.batch([
        db.prepare(old).bind(first),
        db.prepare('create index "locations_by_6d657461646174612e6f6c64" on locations (metadata)'),
      ])
      expect((await save(second, 'metadata.k1')).status).toBe(200)
      expectFull(await save(second, 'metadata.more'), 'identifier_field')
      expect(await indexed()).toHaveLength(FIELDS_MAX + 1)
      expect((await admin.delete(at(third))).status).toBe(200)
      expect(await indexed()).toHaveLength(FIELDS_MAX)
    })

    it('beyond 20 are refused at the field of the form', async () => {
      const dashboard = await openDashboard()
      await fillFields(FIELDS_MAX)
      const other = await newPartner()
      const fields = { name: unique('partner'), default_identifier_field: 'zone' }
      for (const page of ['/dashboard/new/partner/', `/dashboard/partners/${other}/`]) {
        const text = markupOf(await dashboard.post(page, fields), 400)
        expect(text).toContain(`id="default_identifier_field-error">${MESSAGE}`)
      }
      const form = { identifier_field: 'metadata.more', 'inbound.unmapped': 'keep' }
      const text = markupOf(
        await dashboard.post(`/dashboard/partners/${other}/mappings/orders/`, form),
        400,
      )
      expect(text).toContain(`id="identifier_field-error">${MESSAGE}`)
    })
  })
})
