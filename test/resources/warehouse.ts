import { expect } from 'vitest'
import { reasonIn } from '../reasons.ts'
import { type Answer, client, createKey, type Json, openTenant, unique } from '../tenant.ts'

export type Api = ReturnType<typeof client>

export const ID = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
export const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
export const TEXT = expect.stringMatching(/./)

/** A client with a pass-through key of full access. */
export async function openApi(): Promise<Api> {
  return client((await createKey()).value)
}

/** The same for the second tenant, whose records are thrown away first. */
export async function openEmptyApi(): Promise<Api> {
  const db = await openTenant('other')
  const tables = ['inventory', 'order_items', 'orders', 'products', 'locations']
  await db.batch(tables.map((table) => db.prepare(`delete from ${table}`)))
  return client((await createKey(undefined, { tenant: 'other' })).value)
}

export async function createProduct(api: Api, fields: object = {}): Promise<Json> {
  return dataOf(await api.post('/products/', { sku: unique('SKU'), ...fields }), 201)
}

export async function createLocation(api: Api, fields: object = {}): Promise<Json> {
  return dataOf(await api.post('/locations/', { code: unique('LOC'), ...fields }), 201)
}

/** An order with one line of a new product, unless `items` say otherwise. */
export async function createOrder(api: Api, fields: object = {}): Promise<Json> {
  const items = 'items' in fields ? fields.items : await oneLine(api)
  const order = { order_number: unique('ORDER'), ...fields, items }
  return dataOf(await api.post('/orders/', order), 201)
}

export async function oneLine(api: Api) {
  return [{ sku_code: (await createProduct(api)).sku, quantity: 1 }]
}

/** Sets one quantity, of a new product at a new location unless told. */
export async function stock(api: Api, row: object = {}): Promise<Json> {
  const full = {
    location_code: 'location_code' in row ? row.location_code : (await createLocation(api)).code,
    sku_code: 'sku_code' in row ? row.sku_code : (await createProduct(api)).sku,
    quantity: 'quantity' in row ? row.quantity : 1,
  }
  const { failed } = dataOf(await api.post('/inventory/', { inventory: [full] }), 200)
  expect(failed).toBe(0)
  return full
}

export function path(resource: string, identifier: string): string {
  return `/${resource}/${encodeURIComponent(identifier)}/`
}

export function dataOf(answer: Answer, status: number): Json {
  expect({ status: answer.status, error: answer.body?.error }).toEqual({ status, error: undefined })
  expect(answer.body.success).toBe(true)
  return answer.body.data
}

/** Compares the whole error body; `fields` are the names of all fields that it complains of. */
export function expectError(answer: Answer, status: number, code: string, fields?: string[]) {
  const messages = fields?.map((field) => [field, expect.arrayContaining([TEXT])])
  expect({ status: answer.status, body: answer.body }).toStrictEqual({
    status,
    body: {
      success: false,
      error: {
        code,
        ...reasonIn(answer.body?.error, code),
        message: TEXT,
        ...(messages && { fields: Object.fromEntries(messages) }),
      },
      detail: answer.body?.error?.message,
      request_id: answer.headers.get('X-Request-Id'),
    },
  })
}

export function warnedFields(answer: Answer): string[] {
  return (answer.body.warnings ?? []).map((warning: Json) => {
    expect(warning).toStrictEqual({ field: expect.any(String), message: TEXT })
    return warning.field
  })
}

/** The JSON text of `base`, where `field` is this very JSON: `2.0` stays `2.0`. */
export function bodyWith(base: object, field: string, json: string): string {
  const members = Object.entries(base)
    .filter(([name]) => name !== field)
    .map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`)
  return `{${[...members, `${JSON.stringify(field)}:${json}`].join(',')}}`
}

export function without(base: object, field: string): object {
  return Object.fromEntries(Object.entries(base).filter(([name]) => name !== field))
}

/** Lone surrogates written out: in a failure's report they would break vitest's own connection. */
export function printable<Value>(value: Value): Value {
  const spell = (text: string) =>
    text.replace(/\p{Surrogate}/gu, (unit) => `\\u${unit.charCodeAt(0).toString(16)}`)
  const text = JSON.stringify(value, (_, it) => (typeof it === 'string' ? spell(it) : it))
  return JSON.parse(text)
}

/** Long enough for the clock to move on. */
export async function aMoment(): Promise<void> {
  await scheduler.wait(5)
}

/** Bodies that are no JSON object, as text. */
export const NO_OBJECTS = ['{', '{"a":1,}', 'nonsense', '[]', '[{}]', '"text"', '5', 'true', 'null']

/** What a caller may name a record; each must be found again by its percent-encoded name. */
export const ODD_NAMES = [
  'slash/in',
  '/',
  'double//slash',
  'space in',
  'percent%',
  'encoded%2Fslash',
  'encoded%252Fslash',
  'broken%E0%A4%A',
  'plus+in',
  'question?a=b',
  'hash#in',
  'ampersand&a=b;c',
  'back\\slash',
  'quotes\'"`',
  "'; drop table orders; --",
  'dots/../..',
  '.',
  ':identifier',
  '*',
  '{}[]()<>|^~!@$,',
  'ÜMLAUT-é',
  '日本語',
  '😀👩‍🚀',
  'e\u0301',
  '\u200b',
  '\ufffd',
  '__proto__',
]

/** Odd as a whole. */
export const ODD_WHOLES = ['...', '%', '+', '?', '#', '*', '%2F', '%2e', '%2e%2e', '__proto__', '-']
