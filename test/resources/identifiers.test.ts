import { beforeAll, describe, expect, it } from 'vitest'
import { openPartner } from '../partner.ts'
import { type Answer, client, type Json, openTenant, unique } from '../tenant.ts'
import {
  type Api,
  createLocation,
  createOrder,
  createProduct,
  dataOf,
  expectError,
  ODD_NAMES,
  oneLine,
  openApi,
  path,
  stock,
} from './warehouse.ts'

let db: D1Database
let api: Api
let items: object[]
beforeAll(async () => {
  db = await openTenant()
  api = await openApi()
  items = await oneLine(api)
})

interface Target {
  resource: 'orders' | 'products' | 'locations'
  fallback: string
  object: string
  /** A field that a partner's default may name here, and one that only other resources have. */
  known: string
  foreign: string
  create: (by: Api, fields?: object) => Promise<Json>
  /** A PUT's body, and the row that it or a DELETE leaves. */
  change: object
  changed: object
  removed: object
  /** A column that may hold any text. */
  text: string | null
}

const ORDERS: Target = {
  resource: 'orders',
  fallback: 'order_number',
  object: 'metadata',
  known: 'external_order_id',
  foreign: 'zone',
  create: (by, fields) => createOrder(by, { items, ...fields }),
  change: { status: 'verified' },
  changed: { status: 'verified' },
  removed: { status: 'cancelled' },
  text: 'customer_name',
}

const PRODUCTS: Target = {
  resource: 'products',
  fallback: 'sku',
  object: 'custom_fields',
  known: 'cost',
  foreign: 'external_order_id',
  create: createProduct,
  change: { quantity: -777 },
  changed: { quantity: -777 },
  removed: { is_active: 0 },
  text: null,
}

const LOCATIONS: Target = {
  resource: 'locations',
  fallback: 'code',
  object: 'metadata',
  known: 'zone',
  foreign: 'customer_name',
  create: createLocation,
  change: { aisle: 'changed' },
  changed: { aisle: 'changed' },
  removed: { is_active: 0 },
  text: 'name',
}

const TARGETS = [ORDERS, PRODUCTS, LOCATIONS]

const BY_RESOURCE = TARGETS.map((target) => [target.resource, target] as const)

const METHODS = ['GET', 'PUT', 'DELETE'] as const
type Method = (typeof METHODS)[number]

const ENDPOINTS = TARGETS.flatMap((target) =>
  METHODS.map((method) => [method, target.resource, target] as const),
)

let last = 0

/** A number, and a time, that no other record of this file has. */
function uniqueNumber(): number {
  last += 1
  return 1_000_000 + last
}

function uniqueTime(): string {
  return new Date(uniqueNumber() * 1_000_000).toISOString()
}

function send(by: Api, method: Method, { resource, change }: Target, identifier: string) {
  return by.call(method, path(resource, identifier), method === 'PUT' ? change : undefined)
}

async function rowsOf(resource: string, records: Json[]): Promise<Json[]> {
  const rows = await db
    .prepare(`select * from ${resource} where id in (select value from json_each(?)) order by seq`)
    .bind(JSON.stringify(records.map(({ id }) => id)))
    .all()
  return rows.results
}

async function auditRowsOf({ headers }: Answer): Promise<Json[]> {
  const rows = await db
    .prepare('select status, error_code, record_id from audit_log where request_id = ?')
    .bind(headers.get('X-Request-Id'))
    .all()
  return rows.results
}

/** The request reaches this record, does its work there, and leaves the others as they were. */
async function expectFound(
  by: Api,
  method: Method,
  target: Target,
  identifier: string,
  record: Json,
  others: Json[] = [],
) {
  const { resource, changed, removed } = target
  const before = await rowsOf(resource, [record, ...others])
  const answer = await send(by, method, target, identifier)
  expect(dataOf(answer, 200).id).toBe(record.id)
  const after = await rowsOf(resource, [record, ...others])
  const effect = method === 'PUT' ? changed : removed
  const expected = before.map((row) =>
    method === 'GET' || row.id !== record.id ? row : expect.objectContaining(effect),
  )
  expect(after).toEqual(expected)
  if (method === 'GET') return
  expect(await auditRowsOf(answer)).toEqual([
    { status: 200, error_code: null, record_id: record.id },
  ])
}

/** The request is refused and leaves these records, and the log, without a sign of success. */
async function expectRefusal(
  by: Api,
  method: Method,
  target: Target,
  identifier: string,
  [status, code]: [number, string],
  records: Json[] = [],
) {
  const before = await rowsOf(target.resource, records)
  const answer = await send(by, method, target, identifier)
  expectError(answer, status, code)
  expect(await rowsOf(target.resource, records)).toEqual(before)
  expect(await auditRowsOf(answer)).toEqual([{ status, error_code: code, record_id: null }])
}

const NOT_FOUND: [number, string] = [404, 'NOT_FOUND']
const SERVICE_ERROR: [number, string] = [400, 'SERVICE_ERROR']

async function partnerWith(identifier_field: string, resource: string) {
  return await openPartner({ mappings: { [resource]: { identifier_field } } })
}

/** The fields of a record whose `field`, a column or a member of the free object, is the value. */
function having(field: string, value: unknown): object {
  const [object = '', key] = field.split('.')
  return { [object]: key === undefined ? value : { other: 'x', [key]: value } }
}

interface Override {
  field: string
  what: string
  /** The fields of a record that has the value, and the value as a path names it. */
  given: () => { fields: object; identifier: string | null }
}

function override(field: string, what: string, value: () => unknown): Override {
  const given = () => {
    const it = value()
    return { fields: having(field, it), identifier: String(it) }
  }
  return { field, what, given }
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

describe.each(ENDPOINTS)('%s /%s/{identifier}/', (method, resource, target) => {
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

  it.each(OVERRIDES[resource])(
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

describe.each(BY_RESOURCE)('/%s/{identifier}/ by a member of any JSON type', (_, target) => {
  const { resource, object, create } = target

  it.each([
    ['yes', true],
    ['no', false],
    ['zero', 0],
    ['negative', -7],
    ['digits', 0.12345678901234568],
    ['small', 0.00001],
    ['large', 1e21],
  ])('finds a record by %s: %s, as JSON writes it', async (key, value) => {
    const partner = await partnerWith(`${object}.${key}`, resource)
    const record = await create(api, { [object]: { [key]: value } })
    await expectFound(partner.api, 'GET', target, JSON.stringify(value), record)
  })

  it.each([
    [true, '1'],
    [false, '0'],
  ])('does not take %s for the number %s', async (value, number) => {
    const key = `flag_${value}`
    const record = await create(api, { [object]: { [key]: value } })
    const partner = await partnerWith(`${object}.${key}`, resource)
    await expectRefusal(partner.api, 'GET', target, number, NOT_FOUND, [record])
  })

  it.each([
    ['an object', { a: 1 }],
    ['an array', [1]],
    ['null', null],
  ])('does not find a record by %s', async (_, value) => {
    const partner = await partnerWith(`${object}.ref`, resource)
    const record = await create(api, { [object]: { ref: value } })
    for (const method of METHODS) {
      await expectRefusal(partner.api, method, target, JSON.stringify(value), NOT_FOUND, [record])
    }
  })

  it('answers 400 SERVICE_ERROR where one record has a number and one its text', async () => {
    const value = uniqueNumber()
    const partner = await partnerWith(`${object}.ref`, resource)
    const twins = [
      await create(api, { [object]: { ref: value } }),
      await create(api, { [object]: { ref: String(value) } }),
    ]
    await expectRefusal(partner.api, 'GET', target, String(value), SERVICE_ERROR, twins)
  })
})

describe('/products/{identifier}/ by quantity', () => {
  it.each([
    ['a leading zero', (text: string) => `0${text}`],
    ['a decimal point', (text: string) => `${text}.0`],
    ['a sign', (text: string) => `+${text}`],
    ['a trailing space', (text: string) => `${text} `],
    ['an exponent', (text: string) => `${text}e0`],
  ])('does not find a product by another spelling of it: %s', async (_, spell) => {
    const product = await createProduct(api, { quantity: uniqueNumber() })
    const partner = await partnerWith('quantity', 'products')
    const name = spell(String(product.quantity))
    await expectRefusal(partner.api, 'DELETE', PRODUCTS, name, NOT_FOUND, [product])
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

const overriding = (identifier_field: string) => ({ mappings: { orders: { identifier_field } } })

const WAYS: [way: string, field: string, options: object][] = [
  ['default', 'external_order_id', { default_identifier_field: 'external_order_id' }],
  ['override', 'external_order_id', overriding('external_order_id')],
  ['override', 'metadata.ref', overriding('metadata.ref')],
]

type Owner = 'own' | 'second' | 'third' | 'none'

/** Whose orders have the name, and which of them the caller means; null for none of them. */
const SEVERAL: [string, Owner[], number | null][] = [
  ['its own before that of another partner', ['own', 'second'], 0],
  ['its own before that of another partner that came first', ['second', 'own'], 1],
  ['its own before that of a pass-through key', ['none', 'own'], 1],
  ['its own before several of others', ['second', 'second', 'own', 'third', 'none'], 2],
  ['the only one of another partner', ['second'], 0],
  ['the only one of a pass-through key', ['none'], 0],
  ['none of its own two', ['own', 'own'], null],
  ['none of its own two beside one of another', ['own', 'second', 'own'], null],
  ['none of two of one other partner', ['second', 'second'], null],
  ['none of two of two other partners', ['second', 'third'], null],
  ['none of two of pass-through keys', ['none', 'none'], null],
  ['none of two of another partner and a pass-through key', ['none', 'third'], null],
]

describe.each(WAYS)('/orders/{identifier}/ by the %s %s of several orders', (_, field, options) => {
  const callers = {} as Record<Owner, Api>
  beforeAll(async () => {
    callers.own = (await openPartner(options)).api
    callers.second = (await openPartner(options)).api
    callers.third = (await openPartner()).api
    callers.none = api
  })

  describe.each(METHODS)('%s', (method) => {
    it.each(SEVERAL)('finds %s', async (_, owners, expected) => {
      const name = unique('EXT')
      const orders: Json[] = []
      for (const owner of owners)
        orders.push(await createOrder(callers[owner], having(field, name)))
      if (expected === null) {
        await expectRefusal(callers.own, method, ORDERS, name, SERVICE_ERROR, orders)
        return
      }
      const others = orders.toSpliced(expected, 1)
      await expectFound(callers.own, method, ORDERS, name, orders[expected], others)
    })
  })

  it('finds for each partner its own', async () => {
    const name = unique('EXT')
    const own = await createOrder(callers.own, having(field, name))
    const second = await createOrder(callers.second, having(field, name))
    await expectFound(callers.own, 'PUT', ORDERS, name, own, [second])
    await expectFound(callers.second, 'DELETE', ORDERS, name, second, [own])
  })

  it('knows a partner by each of its keys', async () => {
    const partner = await openPartner(options)
    const name = unique('EXT')
    const own = await createOrder(partner.api, having(field, name))
    const other = await createOrder(callers.second, having(field, name))
    const linked = { name: unique('second key'), partner_id: partner.id }
    const { key } = dataOf(await partner.admin.post('/api/settings/v1/api-keys/', linked), 201)
    await expectFound(client(key), 'GET', ORDERS, name, own, [other])
  })
})

/** What a record may be called by, the field of it, and a caller who calls it so. */
type Naming = [
  resource: string,
  naming: string,
  target: Target,
  field: string,
  open: () => Promise<Api>,
]

function namingsOf(target: Target): Naming[] {
  const { resource, fallback, object, text } = target
  const own: Naming = [resource, fallback, target, fallback, async () => api]
  const fields = [`${object}.ref`, ...(text ? [text] : [])]
  const overrides = fields.map((field): Naming => {
    const open = async () => (await partnerWith(field, resource)).api
    return [resource, `the override ${field}`, target, field, open]
  })
  return [own, ...overrides]
}

const NAMINGS = TARGETS.flatMap(namingsOf)

const LONG = 255

const NAMES: [string, () => string][] = [
  ...ODD_NAMES.map((odd): [string, () => string] => [`…${odd}`, () => unique('N') + odd]),
  ['255 characters', () => unique('N').padEnd(LONG, 'x')],
  ['255 characters that are all encoded', () => unique('/').padEnd(LONG, '/')],
  ['255 characters, most of them emoji', () => longEmoji(unique('N'))],
  ['two dots first', () => `..${unique('a')}`],
  ['a leading dot', () => `.${unique('a')}`],
  ['a leading -', () => `-${unique('a')}`],
  ['a leading --', () => `--${unique('a')}`],
  ['a leading /', () => `/${unique('a')}`],
  ['a leading ?', () => `?${unique('a')}`],
  ['a leading #', () => `#${unique('a')}`],
  ['a leading %2F', () => `%2F${unique('a')}`],
  ['SQL', () => `' or 1=1 -- ${unique('a')}`],
  ['a leading quote', () => `"${unique('a')}"`],
  ['JSON', () => `{"a":"${unique('a')}"}`],
]

function longEmoji(start: string): string {
  return start + '😀'.repeat(LONG - start.length)
}

function withNumber<T>(use: (digits: string) => T): T {
  return use(String(uniqueNumber()))
}

// Each is the whole name, so only one record of the file may have it in that field.
const WHOLES = [
  ...['/', '%', '%2F', '%2e%2e', '+', '?', '#', '&', '=', ':', ';', '\\', "'", '"', '`', '*', '_'],
  ...['-', '--', '..a', '...', '0', '-1', 'null', 'undefined', 'true', '[]', '{}', '__proto__'],
  ...["' or 1=1 --", "' or ''='", '1; drop table orders', '😀', 'é', '\u200b'],
]

// Of a free text, which an identifier of our own could not be.
const PADDED = [' ', ' a', 'a ', '\t', 'a\nb', '\r\n', 'a\u0000b', '\u007f']

describe.each(NAMINGS)('/%s/{identifier}/ by %s', (_, __, target, field, open) => {
  const { fallback, create } = target
  let caller: Api
  beforeAll(async () => {
    caller = await open()
  })

  const title = (name: string) => name.replaceAll('%', '%%')
  const names = NAMES.map(([what, make]): [string, () => string] => [title(what), make])
  const wholes = WHOLES.map((name): [string, () => string] => [title(name), () => name])
  const padded = PADDED.map((name): [string, () => string] => [JSON.stringify(name), () => name])

  it.each([...names, ...wholes, ...(field === fallback ? [] : padded)])(
    'reads, changes and deletes a record named %s',
    async (_, make) => {
      const name = make()
      const { id } = await create(api, having(field, name))
      for (const method of METHODS) {
        expect(dataOf(await send(caller, method, target, name), 200).id).toBe(id)
      }
    },
  )

  it.each<[string, (name: string) => [stored: string, asked: string]]>([
    ['case', (name) => [`${name}ref`, `${name}Ref`]],
    ['case beyond ASCII', (name) => [`${name}é`, `${name}É`]],
    ['composition', (name) => [`${name}é`, `${name}e\u0301`]],
    ['the %% of LIKE', (name) => [`${name}abc`, `${name}%`]],
    ['the %% of LIKE alone', (name) => [name, '%%']],
    ['the _ of LIKE', (name) => [`${name}a`, `${name}_`]],
    ['the * of GLOB', (name) => [`${name}abc`, `${name}*`]],
    ['the ? of GLOB', (name) => [`${name}a`, `${name}?`]],
    ['an added quote', (name) => [name, `${name}'`]],
    ['an added condition', (name) => [name, `${name}' or 'a'='a`]],
    ['nothing but a condition', (name) => [name, "x' or 1=1 --"]],
    ['an added element', (name) => [name, `${name}","x`]],
    ['an added comment', (name) => [name, `${name} --`]],
    ['a trailing space', (name) => [name, `${name} `]],
    ['a leading space', (name) => [name, ` ${name}`]],
    ['a trailing NUL', (name) => [name, `${name}\u0000`]],
    ['a trailing slash', (name) => [name, `${name}/`]],
    ['the end', (name) => [`${name}abc`, `${name}ab`]],
    ['encoding', (name) => [`${name}/`, `${name}%2F`]],
    ['double encoding', (name) => [`${name}%2F`, `${name}%252F`]],
    ['a + for a space', (name) => [`${name} b`, `${name}+b`]],
    ['a leading zero', () => withNumber((digits) => [digits, `0${digits}`])],
    ['a decimal point', () => withNumber((digits) => [digits, `${digits}.0`])],
  ])('does not find a record whose name differs in %s', async (_, namesOf) => {
    const [stored, asked] = namesOf(unique('N'))
    const record = await create(api, having(field, stored))
    for (const method of ['GET', 'DELETE'] as const) {
      await expectRefusal(caller, method, target, asked, NOT_FOUND, [record])
    }
  })

  it('finds each of two records whose names differ in case', async () => {
    const name = unique('ref')
    const lower = await create(api, having(field, name))
    const upper = await create(api, having(field, name.toUpperCase()))
    await expectFound(caller, 'PUT', target, name, lower, [upper])
    await expectFound(caller, 'DELETE', target, name.toUpperCase(), upper, [lower])
  })

  it.each([
    ['not encoded where that is not needed', "+:;&=@'()!*,$~_.-", "+:;&=@'()!*,$~_.-"],
    ['encoded where that is not needed', 'abc', '%61%62%63'],
    ['encoded in lower case', 'a/b', 'a%2fb'],
    ['encoded in part', 'é+ b', '%C3%A9+%20b'],
  ])('finds a name that is %s', async (_, end, encoded) => {
    const start = unique('N')
    const { id } = await create(api, having(field, start + end))
    const answer = await caller.get(`/${target.resource}/${start}${encoded}/`)
    expect(dataOf(answer, 200).id).toBe(id)
  })
})

describe('/inventory/', () => {
  it('takes codes and SKUs, whatever the settings of the partner', async () => {
    const [code, sku, value] = [unique('L'), unique('S'), unique('name')]
    await createLocation(api, { code, name: value, metadata: { ref: value } })
    await createProduct(api, { sku, custom_fields: { ref: value } })
    const row = await stock(api, { location_code: code, sku_code: sku, quantity: 3 })
    const partner = await openPartner({
      default_identifier_field: 'name',
      mappings: {
        locations: { identifier_field: 'metadata.ref' },
        products: { identifier_field: 'custom_fields.ref' },
        orders: { identifier_field: 'metadata.ref' },
      },
    })

    const stockAt = async (name: string, by: string) =>
      dataOf(await partner.api.get(`${path('inventory', name)}?by=${by}`), 200)
    expect([await stockAt(code, 'location'), await stockAt(sku, 'sku')]).toEqual([[row], [row]])
    expect([await stockAt(value, 'location'), await stockAt(value, 'sku')]).toEqual([[], []])

    const upload = async (location_code: string, sku_code: string, quantity: number) =>
      dataOf(
        await partner.api.post('/inventory/', {
          inventory: [{ location_code, sku_code, quantity }],
        }),
        200,
      )
    expect(await upload(code, sku, 4)).toMatchObject({ updated: 1, failed: 0 })
    expect(await upload(value, value, 5)).toMatchObject({ updated: 0, failed: 1 })
    expect(await stockAt(code, 'location')).toEqual([{ ...row, quantity: 4 }])
  })

  it('takes no identifier_field', async () => {
    const { id, admin } = await openPartner()
    const answer = await admin.put(`/api/settings/v1/partners/${id}/mappings/inventory/`, {
      identifier_field: 'location_code',
    })
    expectError(answer, 400, 'VALIDATION_ERROR', ['identifier_field'])
  })
})
