import { beforeAll, describe, it } from 'vitest'
import { mintKey } from '../../src/engine/identity/key.ts'
import { expectInvalid } from '../fixtures/refusal.ts'
import { type Api, openAdmin } from '../fixtures/tenant.ts'

// P11: nobody stores a key by giving it as a name.

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
