import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  canSeal,
  openSecret,
  sealAnew,
  sealSecret,
} from '../../src/engine/webhooks/sealed-secret.ts'
import { webhookKeys } from '../../src/engine/webhooks/secret-keys.ts'

const FIRST = 'the first key, for tests only, 32 characters'
const SECOND = 'the second key, for tests only, 32 characters'
const PLACE = { tenant: 'acme', webhook_id: 'wh_1' }
const SECRET = 'whsec_a secret of the shop'

const keysOf = (...secrets: string[]) =>
  webhookKeys(
    Object.fromEntries(
      secrets.map((each, at) => [`WEBHOOK_SECRET_KEY${at === 0 ? '' : `_${at + 1}`}`, each]),
    ),
  )
const FIRST_ONLY = keysOf(FIRST)
const BOTH = keysOf(FIRST, SECOND)

const seal = (secret = SECRET, keys = FIRST_ONLY) => sealSecret(keys, PLACE, secret)

/** That of the key which has sealed it. */
const numberOf = (sealed: string) => sealed.split('.')[1]

/** Any text of Unicode, a byte order mark at its beginning included. */
const texts = () => fc.string({ unit: 'binary', maxLength: 200 })

describe('sealSecret', () => {
  it('makes one line of text with version and key, which does not have the secret in it', async () => {
    const sealed = await seal()
    expect(sealed).toMatch(/^1\.1\.[0-9a-f]{8}\.[\w-]+$/)
    const bytes = Buffer.from(sealed.split('.')[3] ?? '', 'base64url')
    expect(bytes).toHaveLength(12 + SECRET.length + 16)
    expect(bytes.toString('latin1')).not.toContain('whsec_')
  })

  it('makes another text each time', async () => {
    const sealed = await Promise.all(Array.from({ length: 20 }, () => seal()))
    expect(new Set(sealed).size).toBe(20)
  })

  it('refuses without a key', async () => {
    expect([canSeal(keysOf()), canSeal(FIRST_ONLY)]).toEqual([false, true])
    await expect(seal(SECRET, keysOf())).rejects.toThrow(TypeError)
  })
})

describe('openSecret', () => {
  it('gives back any secret, at its place', async () => {
    await fc.assert(
      fc.asyncProperty(texts(), texts(), texts(), async (tenant, webhook_id, secret) => {
        const place = { tenant, webhook_id }
        expect(await openSecret(BOTH, place, await sealSecret(BOTH, place, secret))).toBe(secret)
      }),
    )
    expect(await openSecret(BOTH, PLACE, await seal('\ufeffmark'))).toBe('\ufeffmark')
  })

  it.each([
    { tenant: 'other', webhook_id: 'wh_1' },
    { tenant: 'acme', webhook_id: 'wh_2' },
    { tenant: 'acmewh', webhook_id: '_1' },
    { tenant: 'acme","wh_1', webhook_id: '' },
  ])('gives null for another place: $tenant, $webhook_id', async (place) => {
    expect(await openSecret(FIRST_ONLY, place, await seal())).toBeNull()
  })

  it('gives null for any changed byte', async () => {
    const [version, id, encoded = ''] = (await seal()).split('.')
    const { length } = Buffer.from(encoded, 'base64url')
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: length - 1 }),
        fc.integer({ min: 1, max: 255 }),
        async (at, change) => {
          const bytes = Buffer.from(encoded, 'base64url')
          bytes[at]! ^= change
          const changed = `${version}.${id}.${bytes.toString('base64url')}`
          expect(await openSecret(FIRST_ONLY, PLACE, changed)).toBeNull()
        },
      ),
    )
  })

  it('gives null for a part of it, and for more than it', async () => {
    const sealed = await seal()
    for (let end = 0; end < sealed.length; end += 1) {
      expect(await openSecret(FIRST_ONLY, PLACE, sealed.slice(0, end))).toBeNull()
    }
    for (const more of ['AAAA', '.AAAA', ' ', '\n']) {
      expect(await openSecret(FIRST_ONLY, PLACE, sealed + more), more).toBeNull()
    }
  })

  it('gives null for another version', async () => {
    const sealed = await seal()
    for (const version of ['2', '0', '11', '01', '']) {
      const other = sealed.replace(/^1/, version)
      expect(await openSecret(FIRST_ONLY, PLACE, other), version).toBeNull()
    }
  })

  it('gives null for any other text', async () => {
    const [, , id] = (await seal()).split('.')
    const garbage = fc.oneof(
      texts(),
      fc.base64String().map((text) => `1.1.${id}.${text}`),
      fc.tuple(texts(), texts()).map(([first, rest]) => `1.1.${first}.${rest}`),
    )
    await fc.assert(
      fc.asyncProperty(garbage, async (text) => {
        expect(await openSecret(FIRST_ONLY, PLACE, text)).toBeNull()
      }),
    )
  })
})

describe('rotation', () => {
  it('seals with the newest key, and opens what an older one has sealed', async () => {
    const [before, after] = [await seal(), await seal(SECRET, BOTH)]
    expect(await openSecret(BOTH, PLACE, before)).toBe(SECRET)
    expect(await openSecret(BOTH, PLACE, after)).toBe(SECRET)
    expect([numberOf(before), numberOf(after)]).toEqual(['1', '2'])
  })

  it('seals anew what an older key has sealed, and nothing else', async () => {
    const [before, after] = [await seal(), await seal(SECRET, BOTH)]
    const anew = await sealAnew(BOTH, PLACE, before)
    expect([numberOf(anew), await openSecret(BOTH, PLACE, anew)]).toEqual(['2', SECRET])
    expect(await sealAnew(BOTH, PLACE, after)).toBe(after)
    expect(await sealAnew(FIRST_ONLY, PLACE, before)).toBe(before)
    expect(await sealAnew(BOTH, { ...PLACE, tenant: 'other' }, before)).toBe(before)
    expect(await sealAnew(keysOf(), PLACE, before)).toBe(before)
    expect(await sealAnew(BOTH, PLACE, 'garbage')).toBe('garbage')
  })

  it('ends an older key by deleting it', async () => {
    const second = webhookKeys({ WEBHOOK_SECRET_KEY_2: SECOND })
    expect(await openSecret(second, PLACE, await seal())).toBeNull()
    expect(await openSecret(second, PLACE, await seal(SECRET, BOTH))).toBe(SECRET)
    expect(await openSecret(keysOf(), PLACE, await seal())).toBeNull()
  })

  it('cannot give a text the id of another key', async () => {
    const [[, , older], [, , newer]] = [
      (await seal()).split('.'),
      (await seal('', BOTH)).split('.'),
    ]
    const moved = (await seal()).replace(`${older}`, `${newer}`)
    expect(await openSecret(BOTH, PLACE, moved)).toBeNull()
  })
})

describe('webhookKeys', () => {
  const long = (name: string) => name.padEnd(32, '.')

  it('has the highest number first, not the last in the alphabet', () => {
    const env = {
      WEBHOOK_SECRET_KEY_9: long('nine'),
      WEBHOOK_SECRET_KEY_10: long('ten'),
      WEBHOOK_SECRET_KEY: long('one'),
    }
    expect(webhookKeys(env)).toEqual([
      { number: 10, secret: long('ten') },
      { number: 9, secret: long('nine') },
      { number: 1, secret: long('one') },
    ])
    expect(webhookKeys(env)).toBe(webhookKeys(env))
  })

  it('is empty without a secret that counts', () => {
    const env = {
      WEBHOOK_SECRET_KEY: 'of thirty-one characters alone.',
      WEBHOOK_SECRET_KEY_1: long('a number that is not given'),
      WEBHOOK_SECRET_KEY_02: long('a number that is not given'),
      WEBHOOK_SECRET_KEY_X: long('no number'),
      OLD_WEBHOOK_SECRET_KEY: long('another name'),
      WEBHOOK_SECRET_KEY_3: 4,
    }
    expect(env.WEBHOOK_SECRET_KEY).toHaveLength(31)
    expect(webhookKeys(env)).toEqual([])
  })
})
