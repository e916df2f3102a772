import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { sample } from '../fixtures/depth.ts'
import { api } from '../fixtures/opened-api.ts'
import { givingUpFields, openPartner, partnerWith } from '../fixtures/partner.ts'
import { expectInvalid } from '../fixtures/refusal.ts'
import { unique } from '../fixtures/tenant.ts'
import {
  type Api,
  createLocation,
  createProduct,
  dataOf,
  ODD_NAMES,
  path,
  stock,
} from '../fixtures/warehouse.ts'
import {
  expectFound,
  expectRefusal,
  having,
  METHODS,
  NOT_FOUND,
  send,
  TARGETS,
  type Target,
  uniqueNumber,
} from './identifiers.ts'

beforeEach(givingUpFields)

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

/** In what the name of a record and the one that is asked for differ. */
const DIFFERENCES: [string, (name: string) => [stored: string, asked: string]][] = [
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
]

describe.each(sample(NAMINGS, 3))('/%s/{identifier}/ by %s', (_, __, target, field, open) => {
  const { fallback, create } = target
  let caller: Api
  beforeAll(async () => {
    caller = await open()
  })

  const title = (name: string) => name.replaceAll('%', '%%')
  const names = NAMES.map(([what, make]): [string, () => string] => [title(what), make])
  const wholes = WHOLES.map((name): [string, () => string] => [title(name), () => name])
  const padded = PADDED.map((name): [string, () => string] => [JSON.stringify(name), () => name])

  it.each(sample([...names, ...wholes, ...(field === fallback ? [] : padded)], 3))(
    'reads, changes and deletes a record named %s',
    async (_, make) => {
      const name = make()
      const { id } = await create(api, having(field, name))
      for (const method of METHODS) {
        expect(dataOf(await send(caller, method, target, name), 200).id).toBe(id)
      }
    },
  )

  it.each(sample(DIFFERENCES, 3))(
    'does not find a record whose name differs in %s',
    async (_, namesOf) => {
      const [stored, asked] = namesOf(unique('N'))
      const record = await create(api, having(field, stored))
      for (const method of ['GET', 'DELETE'] as const) {
        await expectRefusal(caller, method, target, asked, NOT_FOUND, [record])
      }
    },
  )

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
    expectInvalid(answer, 'identifier_field')
  })
})
