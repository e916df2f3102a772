import { beforeAll, describe, expect, it } from 'vitest'
import { mintKey } from '../../src/engine/identity/key.ts'
import { expectInvalid, expectRefusal } from '../fixtures/refusal.ts'
import { type Api, openAdmin } from '../fixtures/tenant.ts'

// P11: nobody stores a key by giving it as a name, or in a rule.

const SETTINGS = '/api/settings/v1'

let admin: Api
let key: string

beforeAll(async () => {
  admin = await openAdmin()
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
