import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { mintKey } from '../../src/engine/identity/key.ts'
import { sample } from '../fixtures/depth.ts'
import { admin } from '../fixtures/opened.ts'
import { dashboard } from '../fixtures/opened-dashboard.ts'
import { markupOf } from '../fixtures/pages-read.ts'
import { expectInvalid, expectRefusal } from '../fixtures/refusal.ts'
import { KEYS, WORKSPACE } from '../fixtures/settings.ts'
import { type Json, unique } from '../fixtures/tenant.ts'

// What people call a key, a partner and the workspace, by the API and by the forms of the dashboard.

const PARTNERS = '/api/settings/v1/partners/'

const idAt = async (path: string) => (await admin.post(path, { name: unique('x') })).body.data.id
const recordOf = async (path: string) => `${path}${await idAt(path)}/`

/** Where a name is given: the path of the API, and the form of the dashboard. */
const PLACES: [method: string, path: string, place: () => Promise<string>, form: string][] = [
  ['POST', KEYS, async () => KEYS, '/dashboard/new/api-key/'],
  ['PUT', `${KEYS}:id/`, () => recordOf(KEYS), '/dashboard/api-keys/'],
  ['POST', PARTNERS, async () => PARTNERS, '/dashboard/new/partner/'],
  ['PUT', `${PARTNERS}:id/`, () => recordOf(PARTNERS), '/dashboard/partners/'],
  ['PUT', WORKSPACE, async () => WORKSPACE, '/dashboard/workspace/'],
]

const BLANK = 'Must not be only white space.'
const CONTROL = 'Must not have control characters, such as a tab or a line break: leave them out.'

const REFUSED: [what: string, name: string, message: string][] = [
  ['a space alone', ' ', BLANK],
  ['white space of several kinds alone', '\u00a0\u2003\u2028\u3000\ufeff', BLANK],
  ['a tab alone', '\t', CONTROL],
  ['NUL within', 'a\u0000b', CONTROL],
  ['BEL within', 'a\u0007b', CONTROL],
  ['a line break within', 'two\nlines', CONTROL],
  ['a line break at the end', 'name\n', CONTROL],
  ['DEL within', 'a\u007fb', CONTROL],
  ['NEL within', 'a\u0085b', CONTROL],
  ['a lone surrogate within', 'a\ud800b', 'Must be well-formed Unicode.'],
]

describe.each(PLACES)('%s %s', (method, _, placeOf, form) => {
  it.each(sample(REFUSED, 12))(
    'says what is wrong with a name of %s',
    async (_what, name, message) => {
      const answer = await admin.call(method, await placeOf(), { name })
      expectInvalid(answer, 'name')
      expect(answer.body.error.fields.name).toEqual([message])
    },
  )

  it('takes the white space off the ends of a name, and keeps what is within', async () => {
    const name = unique('North \u2003 and South')
    const { body } = await admin.call(method, await placeOf(), { name: `\u00a0 ${name} \u3000` })
    expect(body.data.name).toBe(name)
  })

  it('refuses control characters by the form of the dashboard as well', async () => {
    const record = (await placeOf()).split('/').at(-2)
    const path = /\/(api-keys|partners)\/$/.test(form) ? `${form}${record}/` : form
    const text = markupOf(await dashboard.post(path, { name: 'a\u0007b' }), 400)
    expect(text).toContain(`id="name-error">${CONTROL}`)
  })
})

describe('a name from before this rule', () => {
  const OLD = ['   ', 'bell\u0007', ' padded ']

  /** A key and a partner of this name, as they were made once. */
  async function makeOld(name: string) {
    const [key, partner] = [await idAt(KEYS), await idAt(PARTNERS)]
    await env.DB_DEMO.batch([
      env.DB_DEMO.prepare('update api_keys set name = ? where id = ?').bind(name, key),
      env.DB_DEMO.prepare('update partners set name = ? where id = ?').bind(name, partner),
    ])
    return { key, partner }
  }

  it.each(OLD)('is shown as it is, and stays until it is changed: %j', async (name) => {
    const { key, partner } = await makeOld(name)
    const nameOf = async (path: string) => (await admin.get(path)).body.data.name
    const [keyPath, partnerPath] = [`${KEYS}${key}/`, `${PARTNERS}${partner}/`]
    expect([await nameOf(keyPath), await nameOf(partnerPath)]).toEqual([name, name])
    const listed = async (path: string) =>
      (await admin.get(`${path}?limit=200`)).body.data.map((one: Json) => one.name)
    expect(await listed(KEYS)).toContain(name)
    expect(await listed(PARTNERS)).toContain(name)
    for (const page of ['api-keys/', `api-keys/${key}/`, 'partners/', `partners/${partner}/`]) {
      expect((await dashboard.get(`/dashboard/${page}`)).status).toBe(200)
    }
    const changed = await admin.put(keyPath, { partner_id: partner })
    expect([changed.status, changed.body.data.name]).toEqual([200, name])
    const field = { default_identifier_field: 'sku' }
    expect((await admin.put(partnerPath, field)).body.data.name).toBe(name)
    const rotated = await admin.post(`${keyPath}rotate/`, {})
    expect([rotated.status, rotated.body.data.name]).toEqual([201, name])
  })
})

// P11: nobody stores a key by giving it as a name, or in a rule.

const SETTINGS = '/api/settings/v1'

let key: string

beforeAll(async () => {
  key = (await mintKey('demo')).value
})

describe('a name that is a key, or has one in it', () => {
  it.each([
    ['POST', '/partners/', {}],
    ['POST', '/api-keys/', { scopes: ['integrations.*'] }],
    ['PUT', '/workspace/', {}],
    ['PUT', '/partners/some-id/', {}],
    ['PUT', '/api-keys/some-id/', {}],
  ])('is refused: %s %s', async (method, path, body) => {
    for (const name of [key, `Shop ${key}`, `${key}.`]) {
      expectInvalid(await admin.call(method, SETTINGS + path, { ...body, name }), 'name')
    }
  })
})

describe('PUT /partners/{id}/mappings/orders/', () => {
  it('refuses a key as a fixed value, a source, a target and an identifier', async () => {
    const at = `${SETTINGS}/partners/some-id/mappings/orders/`
    const rules = (fields: object) => ({ inbound: { fields } })
    const notes = 'inbound.fields.notes'
    expectInvalid(await admin.put(at, rules({ notes: { value: `Bearer ${key}` } })), notes)
    expectInvalid(await admin.put(at, rules({ notes: key })), notes)
    expectInvalid(await admin.put(at, { identifier_field: `metadata.${key}` }), 'identifier_field')
    const form = { inbound: { form: { json: `x${key}` }, fields: { notes: 'a' } } }
    expectInvalid(await admin.put(at, form), 'inbound.form')
    const target = await admin.put(at, rules({ [`metadata.${key}`]: 'a' }))
    expectRefusal(target, 400, 'VALIDATION_ERROR')
    expect(target.text).not.toContain(key)
  })
})

describe.each(['/partners/some-id/', '/workspace/'])('PUT %s', (path) => {
  it('refuses a key as a path that is redacted', async () => {
    const keep_documents = { of: 'all', days: 1, redact: ['a', key] }
    expectInvalid(await admin.put(SETTINGS + path, { keep_documents }), 'keep_documents.redact')
  })
})
