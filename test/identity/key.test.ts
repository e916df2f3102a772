import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  hashKey,
  hintOf,
  hintOfMalformed,
  mintKey,
  parseKey,
} from '../../src/engine/identity/key.ts'

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const STRANGERS = '-_.~ !*/+=,;:"\'\\\n\u0000é…📦'

/** A tenant is a label of a host name: at most 63 characters. */
const tenants = fc.stringMatching(/^[a-z][a-z0-9]{0,20}(-[a-z0-9]{1,10}){0,3}$/)

/** CRC32 and base62 written out once more, bit by bit. */
function checksumOf(body: string): string {
  let crc = 0xffffffff
  for (const byte of new TextEncoder().encode(body)) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0)
  }
  let rest = ~crc >>> 0
  let digits = ''
  for (; digits.length < 6; rest = Math.floor(rest / 62)) digits = BASE62[rest % 62] + digits
  return digits
}

const sha256 = (value: string) => createHash('sha256').update(value).digest('hex')

describe('mintKey', () => {
  it('gives a key that parseKey takes, with the same tenant and hash', async () => {
    await fc.assert(
      fc.asyncProperty(tenants, async (tenant) => {
        const { value, hash } = await mintKey(tenant)
        expect(await parseKey(value)).toEqual({ tenant, hash })
      }),
    )
  })

  it('gives prefix, tenant, 43 base62 characters and 6 of checksum', async () => {
    await fc.assert(
      fc.asyncProperty(tenants, async (tenant) => {
        const { value, tenant: own } = await mintKey(tenant)
        const [prefix, middle, tail, ...more] = value.split('_')
        expect([prefix, middle, more, own]).toEqual(['xd', tenant, [], tenant])
        expect(tail).toMatch(/^[0-9A-Za-z]{49}$/)
        expect(value.slice(-6)).toBe(checksumOf(value.slice(0, -6)))
      }),
    )
  })

  it('never gives the same key twice, and uses the whole alphabet at every place', async () => {
    const keys = await Promise.all(Array.from({ length: 2000 }, () => mintKey('demo')))
    expect(new Set(keys.map(({ value }) => value)).size).toBe(2000)
    const secrets = keys.map(({ value }) => value.slice(8, -6))
    for (let place = 1; place < 43; place++) {
      expect(new Set(secrets.map((secret) => secret[place])).size).toBe(62)
    }
  })

  it('gives a SHA-256 in hex that tells nothing of the key', async () => {
    const { value, hash } = await mintKey('demo')
    expect(hash).toMatch(/^[0-9a-f]{64}$/)
    expect(hash).toBe(sha256(value))
    expect(hash).toBe(await hashKey(value))
  })

  it('gives a hint of prefix and last four, with nothing of the secret', async () => {
    await fc.assert(
      fc.asyncProperty(tenants, async (tenant) => {
        const { value, hint } = await mintKey(tenant)
        expect(hint).toBe(`xd_${tenant}_…${value.slice(-4)}`)
      }),
    )
  })
})

describe('parseKey', () => {
  it.each([
    ['demo', '0'.repeat(43)],
    ['other', 'z'.repeat(43)],
    ['a', `${'Az09'.repeat(10)}xyz`],
    ['two-words-2', '7'.repeat(43)],
  ])('takes a key of %s whose checksum was computed elsewhere', async (tenant, secret) => {
    const body = `xd_${tenant}_${secret}`
    const value = body + checksumOf(body)
    expect(await parseKey(value)).toEqual({ tenant, hash: sha256(value) })
  })

  it('keeps to the format for good: keys that were issued stay valid', async () => {
    const value = `xd_demo_${'0'.repeat(43)}2ZDB2S`
    expect((await parseKey(value))?.tenant).toBe('demo')
  })

  it('refuses every change of a single character', async () => {
    const { value } = await mintKey('de-mo2')
    for (let place = 0; place < value.length; place++) {
      for (const letter of [...BASE62, ...STRANGERS]) {
        const changed = value.slice(0, place) + letter + value.slice(place + 1)
        if (changed !== value) expect(await parseKey(changed), changed).toBeNull()
      }
    }
  })

  it('refuses a key that lost, gained or swapped a character', async () => {
    const { value } = await mintKey('demo')
    for (let place = 0; place < value.length; place++) {
      const [before, letter, after] = [value.slice(0, place), value[place], value.slice(place + 1)]
      const swapped = before + (after[0] ?? '') + letter + after.slice(1)
      for (const changed of [before + after, before + letter + letter + after, swapped]) {
        if (changed !== value) expect(await parseKey(changed), changed).toBeNull()
      }
    }
  })

  it('refuses whatever is no key, and never throws', async () => {
    const texts = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.stringMatching(/^xd_[a-z-]{0,9}_[0-9A-Za-z]{40,50}$/),
      tenants.map((tenant) => `xd_${tenant}_${'A'.repeat(49)}`),
    )
    await fc.assert(
      fc.asyncProperty(texts, async (text) => {
        const right = text.slice(-6) === checksumOf(text.slice(0, -6))
        if (!right) expect(await parseKey(text)).toBeNull()
      }),
    )
  })

  it.each(['', 'Demo', 'DEMO', '2demo', '-demo', 'demo-', 'de--mo', 'de_mo', 'dé', 'de mo'])(
    'refuses a tenant that is none, though the checksum is right: "%s"',
    async (tenant) => {
      const body = `xd_${tenant}_${'A'.repeat(43)}`
      expect(await parseKey(body + checksumOf(body))).toBeNull()
    },
  )

  it.each([42, 44, 0])(
    'refuses a secret of %i characters, though the checksum is right',
    async (n) => {
      const body = `xd_demo_${'A'.repeat(n)}`
      expect(await parseKey(body + checksumOf(body))).toBeNull()
    },
  )

  it('refuses white space and line ends around a key', async () => {
    const { value } = await mintKey('demo')
    for (const text of [` ${value}`, `${value} `, `${value}\n`, `\n${value}`, `${value}\u0000`]) {
      expect(await parseKey(text)).toBeNull()
    }
  })

  it('takes no longer over a very long text', async () => {
    expect(await parseKey(`xd_${'a-'.repeat(5_000_000)}`)).toBeNull()
    expect(await parseKey(`xd_${'a'.repeat(5_000_000)}_${'A'.repeat(49)}`)).toBeNull()
  })
})

describe('hashKey', () => {
  it('is SHA-256 in hex, of any text', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary' }), async (text) => {
        expect(await hashKey(text)).toBe(sha256(text))
      }),
    )
  })
})

describe('hintOfMalformed', () => {
  it('shows of a key with one typo what hintOf shows, or less', async () => {
    const { value } = await mintKey('demo')
    const places = fc.nat({ max: value.length - 1 })
    const others = fc.constantFrom(...BASE62, ...STRANGERS, '')
    fc.assert(
      fc.property(places, others, (place, other) => {
        const text = value.slice(0, place) + other + value.slice(place + 1)
        expect([hintOf(text), 'xd_demo_…', '…']).toContain(hintOfMalformed(text, 'demo'))
      }),
    )
  })

  it('holds characters of keys alone, never five of a secret, and is no longer than a hint', () => {
    const text = fc.array(fc.constantFrom(...BASE62, ...STRANGERS, 'xd_demo_'), { maxLength: 80 })
    fc.assert(
      fc.property(text, (parts) => {
        expect(hintOfMalformed(parts.join(''), 'demo')).toMatch(
          /^(?:xd_demo_)?…$|^xd_demo_…[0-9A-Za-z]{4}$/,
        )
      }),
    )
  })
})
