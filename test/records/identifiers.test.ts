import { beforeEach, describe, expect, it } from 'vitest'
import { sample } from '../fixtures/depth.ts'
import { api } from '../fixtures/opened-api.ts'
import { givingUpFields, openPartner, partnerWith } from '../fixtures/partner.ts'
import { type Json, unique } from '../fixtures/tenant.ts'
import { type Api, dataOf, path } from '../fixtures/warehouse.ts'
import {
  BY_RESOURCE,
  expectFound,
  expectRefusal,
  METHODS,
  NOT_FOUND,
  type Override,
  override,
  SERVICE_ERROR,
  TARGETS,
  type Target,
  uniqueNumber,
} from './identifiers.ts'

beforeEach(givingUpFields)

const ENDPOINTS = TARGETS.flatMap((target) =>
  METHODS.map((method) => [method, target.resource, target] as const),
)

function uniqueTime(): string {
  return new Date(uniqueNumber() * 1_000_000).toISOString()
}

/** The identifier is what the record was given when it was created. */
function assigned(field: string): Override {
  return { field, what: 'as it was given', given: () => ({ fields: {}, identifier: null }) }
}

const MEMBER_KEYS = ['ref', 'Ref', 'a-b_c', '0', 'référence', '日本', 'x'.repeat(64)]

function overridesOf(object: string): Override[] {
  return [
    ...MEMBER_KEYS.map((key) => override(`${object}.${key}`, 'a text', () => unique('REF'))),
    override(`${object}.ref`, 'an integer', uniqueNumber),
    override(`${object}.ref`, 'a negative integer', () => -uniqueNumber()),
    override(`${object}.ref`, 'a decimal', () => uniqueNumber() + 0.25),
    override(`${object}.ref`, 'a safe integer', () => 9_007_199_000_000_000 + uniqueNumber()),
    override(`${object}.ref`, 'a number as text', () => `0${uniqueNumber()}`),
  ]
}

const OVERRIDES: Record<Target['resource'], Override[]> = {
  orders: [
    assigned('id'),
    assigned('order_number'),
    override('external_order_id', 'a text', () => unique('EXT')),
    override('customer_name', 'a text', () => unique('Ada')),
    override('notes', 'a text', () => unique('note')),
    override('order_date', 'a time', uniqueTime),
    override('due_date', 'a time', uniqueTime),
    ...overridesOf('metadata'),
  ],
  products: [
    assigned('id'),
    assigned('sku'),
    override('quantity', 'an integer', uniqueNumber),
    override('quantity', 'a negative integer', () => -uniqueNumber()),
    override('cost', 'a decimal', () => `${uniqueNumber()}.50`),
    ...overridesOf('custom_fields'),
  ],
  locations: [
    assigned('id'),
    assigned('code'),
    override('name', 'a text', () => unique('Hall')),
    override('zone', 'a text', () => unique('zone')),
    override('aisle', 'a text', () => unique('aisle')),
    ...overridesOf('metadata'),
  ],
}

describe.each(sample(ENDPOINTS, 2))('%s /%s/{identifier}/', (method, resource, target) => {
  const { fallback, object, known, foreign, create } = target
  const others = TARGETS.filter((other) => other.resource !== resource)
  const found = (...rest: [Api, string, Json, Json[]?]) => {
    const [by, identifier, record, decoys] = rest
    return expectFound(by, method, target, identifier, record, decoys)
  }
  const refused = (...rest: [Api, string, [number, string], Json[]?]) => {
    const [by, identifier, error, records] = rest
    return expectRefusal(by, method, target, identifier, error, records)
  }

  it.each(sample(OVERRIDES[resource], 3))(
    'finds a record by the override $field, $what, rather than by the fallback',
    async ({ field, given }) => {
      const { fields, identifier } = given()
      const record = await create(api, fields)
      const name = identifier ?? record[field]
      const decoys = field === fallback ? [] : [await create(api, { [fallback]: name })]
      const partner = await partnerWith(field, resource)
      await found(partner.api, name, record, decoys)
    },
  )

  it.each([
    ['a field of the record', () => known],
    ['a member of the free object', () => `${object}.ref`],
  ])('uses an override as given: a record that lacks it, %s, is not found', async (_, fieldOf) => {
    const record = await create(api, { [object]: { other: 'x' } })
    const partner = await partnerWith(fieldOf(), resource)
    await refused(partner.api, record[fallback], NOT_FOUND, [record])
  })

  it('does not find a record whose override is null', async () => {
    const record = await create(api, { [object]: { ref: null } })
    const partner = await partnerWith(`${object}.ref`, resource)
    await refused(partner.api, 'null', NOT_FOUND, [record])
    await refused(partner.api, record[fallback], NOT_FOUND, [record])
  })

  it("finds a record by the partner's default where that is a field of the resource", async () => {
    const value = String(uniqueNumber())
    const record = await create(api, { [known]: value })
    const decoy = await create(api, { [fallback]: value })
    const partner = await openPartner({ default_identifier_field: known })
    await found(partner.api, value, record, [decoy])
    await refused(partner.api, record[fallback], NOT_FOUND, [record, decoy])
  })

  it('finds a record by the default id', async () => {
    const record = await create(api)
    const partner = await openPartner({ default_identifier_field: 'id' })
    await found(partner.api, record.id, record)
  })

  it.each([
    ['is no field of the resource', () => ({ default_identifier_field: foreign })],
    ['is not set', () => ({})],
  ])(`finds a record by ${fallback} where the partner's default %s`, async (_, optionsOf) => {
    const record = await create(api, { [known]: String(uniqueNumber()) })
    const partner = await openPartner(optionsOf())
    await found(partner.api, record[fallback], record)
  })

  it('finds a record by an override rather than by the default', async () => {
    const value = String(uniqueNumber())
    const record = await create(api, { [object]: { ref: value } })
    const decoy = await create(api, { [known]: value })
    const partner = await openPartner({
      default_identifier_field: known,
      mappings: { [resource]: { identifier_field: `${object}.ref` } },
    })
    await found(partner.api, value, record, [decoy])
    await refused(partner.api, decoy[fallback], NOT_FOUND, [record, decoy])
  })

  it('is not affected by the overrides of other resources', async () => {
    const record = await create(api)
    const mappings = Object.fromEntries(
      others.map((other) => [other.resource, { identifier_field: `${other.object}.ref` }]),
    )
    await found((await openPartner({ mappings })).api, record[fallback], record)
  })

  it('finds a record by the default where only other resources have an override', async () => {
    const value = String(uniqueNumber())
    const record = await create(api, { [known]: value })
    const mappings = Object.fromEntries(
      others.map((other) => [other.resource, { identifier_field: 'id' }]),
    )
    const partner = await openPartner({ default_identifier_field: known, mappings })
    await found(partner.api, value, record)
  })

  it('finds a record by the default where the mapping of the resource has no override', async () => {
    const value = String(uniqueNumber())
    const record = await create(api, { [known]: value })
    const mappings = { [resource]: { inbound: { fields: {} } } }
    const partner = await openPartner({ default_identifier_field: known, mappings })
    await found(partner.api, value, record)
  })

  it(`finds a record by ${fallback} with a pass-through key, and by nothing else`, async () => {
    const value = String(uniqueNumber())
    await openPartner({
      default_identifier_field: known,
      mappings: { [resource]: { identifier_field: `${object}.ref` } },
    })
    const record = await create(api, { [known]: value, [object]: { ref: `ref-${value}` } })
    for (const other of [value, `ref-${value}`, record.id]) {
      await refused(api, other, NOT_FOUND, [record])
    }
    await found(api, record[fallback], record)
  })

  it('answers 400 SERVICE_ERROR when several records have the override', async () => {
    const value = unique('TWICE')
    const twins = [
      await create(api, { [object]: { ref: value } }),
      await create(api, { [object]: { ref: value } }),
    ]
    const partner = await partnerWith(`${object}.ref`, resource)
    await refused(partner.api, value, SERVICE_ERROR, twins)
  })

  it('answers 400 SERVICE_ERROR when several records have the default', async () => {
    const value = String(uniqueNumber())
    const twins = [await create(api, { [known]: value }), await create(api, { [known]: value })]
    const partner = await openPartner({ default_identifier_field: known })
    await refused(partner.api, value, SERVICE_ERROR, twins)
  })

  it('answers 404 NOT_FOUND when no record has the override', async () => {
    const partner = await partnerWith(`${object}.ref`, resource)
    await refused(partner.api, unique('none'), NOT_FOUND)
  })
})

describe.each(BY_RESOURCE)('PUT /%s/{identifier}/ of what it is addressed by', (_, target) => {
  const { resource, object, create } = target

  it('answers with the record, which then has its new name only', async () => {
    const [old, renamed] = [unique('OLD'), unique('NEW')]
    const partner = await partnerWith(`${object}.ref`, resource)
    const { id } = await create(api, { [object]: { ref: old } })
    const body = { [object]: { ref: renamed } }
    const data = dataOf(await partner.api.put(path(resource, old), body), 200)
    expect([data.id, data[object]]).toEqual([id, { ref: renamed }])
    await expectRefusal(partner.api, 'GET', target, old, NOT_FOUND)
    await expectFound(partner.api, 'GET', target, renamed, { id })
  })
})
