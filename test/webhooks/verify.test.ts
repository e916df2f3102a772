import { describe, expect, it } from 'vitest'
import { Verification } from '../../src/engine/webhooks/verification.ts'
import { ADDRESS, check, hmac, ORIGIN, SENDERS, SENT_AT, type Sender } from './senders.ts'

const TIMED = SENDERS.filter(({ verification }) => 'timestamp' in verification)
const PLAIN: Sender[] = SENDERS.filter(({ verification }) => !('timestamp' in verification))

describe.each(SENDERS)('$name', (sender) => {
  const verification = Verification.parse(sender.verification)
  const { secret, body } = sender
  const headers = sender.headers(sender, SENT_AT)
  const secrets = secret === '' ? [] : [secret]
  const name = String(sender.verification.header).toLowerCase()
  const [shown = ''] = Object.keys(headers).filter((header) => header.toLowerCase() === name)

  it('is accepted', async () => {
    expect(await check(verification, { headers, body }, secrets)).toBeNull()
  })

  it('is accepted by either of two secrets', async () => {
    expect(await check(verification, { headers, body }, ['other', ...secrets])).toBeNull()
  })

  it('is refused without the signature', async () => {
    const { [shown]: _, ...others } = headers
    expect(await check(verification, { headers: others, body }, secrets)).toBe('missing')
  })

  it('is refused with a changed body', async () => {
    const changed = sender.name === 'Ecwid' ? body.replace('6c2f', '6c2e') : `${body} `
    expect(await check(verification, { headers, body: changed }, secrets)).toBe('mismatch')
  })

  it.each(['', ' ', '=', 'v1,', 'sha256=', '..', 't=1,v1=', 'x'.repeat(100_000)])(
    'is refused with the signature %.20s',
    async (text) => {
      const others = new Headers(headers)
      others.set(shown, text)
      const sent = { headers: Object.fromEntries(others), body }
      expect(await check(verification, sent, secrets)).toBe('mismatch')
    },
  )

  it('is refused with another secret, or none', async () => {
    if (secret === '') return expect(verification.kind).toBe('public_key')
    expect(await check(verification, { headers, body }, ['other'])).toBe('mismatch')
    expect(await check(verification, { headers, body }, [''])).toBe('mismatch')
    expect(await check(verification, { headers, body }, [])).toBe('mismatch')
    // Of a third one nobody is told that it is valid.
    expect(await check(verification, { headers, body }, ['a', 'b', secret])).toBe('mismatch')
  })
})

describe('The time of a delivery', () => {
  it.each(TIMED)('of $name is within the tolerance', async (sender) => {
    const verification = Verification.parse(sender.verification)
    const sent = { headers: sender.headers(sender, SENT_AT), body: sender.body }
    const { tolerance_s } = (verification as { timestamp: { tolerance_s: number } }).timestamp
    const at = async (seconds: number) =>
      check(verification, sent, [sender.secret], (SENT_AT + seconds) * 1000)
    expect(await at(tolerance_s)).toBeNull()
    expect(await at(-tolerance_s)).toBeNull()
    expect(await at(tolerance_s + 1)).toBe('too_old')
    expect(await at(-tolerance_s - 1)).toBe('too_old')
    // The signature comes first: nobody learns from the time that it was right.
    expect(await check(verification, sent, ['other'], 0)).toBe('mismatch')
  })

  it.each(PLAIN)('of $name does not count', async (sender) => {
    const verification = Verification.parse(sender.verification)
    const sent = { headers: sender.headers(sender, SENT_AT), body: sender.body }
    expect(await check(verification, sent, sender.secret ? [sender.secret] : [], 0)).toBeNull()
  })

  const timed = Verification.parse({
    kind: 'hmac',
    algorithm: 'sha1',
    encoding: 'hex',
    header: 'X-Signature',
    signed: 'POST:{timestamp}:{body}',
    timestamp: { header: 'X-Time', tolerance_s: 60 },
  })
  const at = (text: string) => ({
    headers: { 'x-time': text, 'x-signature': hmac('s', `POST:${text}:{}`, 'hex', 'sha1') },
    body: '{}',
  })
  const iso = new Date(SENT_AT * 1000).toISOString()

  it.each([
    String(SENT_AT),
    String(SENT_AT * 1000),
    `${SENT_AT}.25`,
    iso,
    iso.replace('.000Z', '+00:00'),
    new Date(SENT_AT * 1000).toUTCString(),
  ])('is read from %s', async (text) => {
    expect(await check(timed, at(text), ['s'])).toBeNull()
    expect(await check(timed, at(text), ['s'], (SENT_AT + 3600) * 1000)).toBe('too_old')
  })

  it.each(['', 'soon', '-1', '1e9', '2026-02-30', '9'.repeat(40), 'Mon, 99 Foo 2026 00:00:00 GMT'])(
    'cannot be read from "%s"',
    async (text) => {
      expect(await check(timed, at(text), ['s'])).toBe('mismatch')
    },
  )

  it('is part of what is signed', async () => {
    const sent = at(String(SENT_AT))
    const moved = { ...sent, headers: { ...sent.headers, 'x-time': String(SENT_AT + 1) } }
    expect(await check(timed, moved, ['s'])).toBe('mismatch')
    const { 'x-time': _, ...untimed } = sent.headers
    expect(await check(timed, { ...sent, headers: untimed }, ['s'])).toBe('mismatch')
  })

  it.each(['{"timestamp":null}', '{"timestamp":{}}', '{}', '[]', 'null', '{', '"', ''])(
    'cannot be read from the body %s',
    async (body) => {
      const shopware = SENDERS.find(({ name }) => name === 'Shopware')!
      const headers = shopware.headers({ ...shopware, body }, SENT_AT)
      const verification = Verification.parse(shopware.verification)
      expect(await check(verification, { headers, body }, [shopware.secret])).toBe('mismatch')
    },
  )
})

describe('A value of the body', () => {
  const verification = Verification.parse({
    kind: 'hmac',
    algorithm: 'sha256',
    header: 'X-Signature',
    signed: '{$.a.list[0]}|{$.b}',
  })
  const signedAs = (content: string) => ({ 'x-signature': hmac('s', content) })

  it.each([
    ['{"a":{"list":["x"]},"b":1}', 'x|1'],
    ['{"a":{"list":[true]},"b":1.50}', 'true|1.50'],
    ['{"a":{"list":["ü"]},"b":820982911946154508}', 'ü|820982911946154508'],
  ])('of %s is signed as %s', async (body, content) => {
    expect(await check(verification, { headers: signedAs(content), body }, ['s'])).toBeNull()
  })

  it.each([
    '{"a":{"list":[]},"b":1}',
    '{"a":{"list":[null]},"b":1}',
    '{"a":{"list":[{}]},"b":1}',
    '{"b":1}',
    '{',
    `{"a":{"list":["undefined"]},"b":1,"c":"${'x'.repeat(300_000)}"}`,
  ])('is missing in %.40s', async (body) => {
    const headers = signedAs('undefined|1')
    expect(await check(verification, { headers, body }, ['s'])).toBe('mismatch')
  })
})

describe('The address', () => {
  const verification = Verification.parse(
    SENDERS.find(({ name }) => name === 'Square')!.verification,
  )
  const sent = (called: string, url: string) => ({
    headers: { 'x-square-hmacsha256-signature': hmac('s', `${called}{}`) },
    body: '{}',
    url: new URL(url),
  })

  it.each([
    [`${ORIGIN}/a/b`, 'http://10.0.0.1/a/b'],
    [`${ORIGIN}/a/b`, 'http://10.0.0.1/a/b/'],
    [`${ORIGIN}/a/b/`, 'http://10.0.0.1/a/b'],
    [`${ORIGIN}/a%20b/?x=%2F&y`, 'http://10.0.0.1/a%20b?x=%2F&y'],
  ])('%s is that of %s', async (called, url) => {
    expect(await check(verification, sent(called, url), ['s'])).toBeNull()
  })

  it.each([
    ['http://10.0.0.1/a/b', 'http://10.0.0.1/a/b'],
    [`${ORIGIN}/a/b`, 'http://10.0.0.1/a/c'],
    [`${ORIGIN}/a/b`, 'http://10.0.0.1/a/b?x=1'],
    [`${ORIGIN}/a/b//`, 'http://10.0.0.1/a/b'],
  ])('%s is not that of %s', async (called, url) => {
    expect(await check(verification, sent(called, url), ['s'])).toBe('mismatch')
  })

  it('is signed in a vector that Square publishes', async () => {
    const url = new URL('https://webhook.site/679a4f3a-dcfa-49ee-bac5-9d0edad886b9')
    const square = Verification.parse({
      kind: 'hmac',
      algorithm: 'sha256',
      header: 'x-square-hmacsha256-signature',
      signed: '{url}{body}',
      origin: url.origin,
    })
    const headers = {
      'x-square-hmacsha256-signature': 'GF4YkrJgGBDZ9NIYbNXBnMzqb2HoL4RW/S6vkZ9/2N4=',
    }
    const body =
      '{"merchant_id":"MLEFBHHSJGVHD","type":"webhooks.test_notification","event_id":"ac3ac95b-f97d-458c-a6e6-18981597e05f","created_at":"2022-07-13T20:30:59.037339943Z","data":{"type":"webhooks","id":"bc368e64-01aa-407e-b46e-3231809b1129"}}'
    expect(await check(square, { headers, body, url }, ['Ibxx_5AKakO-3qeNVR61Dw'])).toBeNull()
  })
})

describe('Several signatures', () => {
  const verification = Verification.parse({
    kind: 'hmac',
    algorithm: 'sha512',
    header: 'X-Signature',
    prefix: 'v1=',
    separator: ',',
  })
  const right = `v1=${hmac('s', '{}', 'base64', 'sha512')}`
  const wrong = `v1=${hmac('x', '{}', 'base64', 'sha512')}`
  const signed = (...parts: string[]) => ({ headers: { 'x-signature': parts.join() }, body: '{}' })

  it.each([
    [0, null],
    [15, null],
    [16, 'mismatch'],
  ])('with %i wrong ones before the right one', async (count, expected) => {
    const parts = [...Array<string>(count).fill(wrong), right]
    expect(await check(verification, signed(...parts), ['s'])).toBe(expected)
  })

  it('may have others among them, and blanks', async () => {
    expect(await check(verification, signed('v0=x', ` ${right} `, 'v2=y'), ['s'])).toBeNull()
    expect(await check(verification, signed(right.replace('v1', 'v2')), ['s'])).toBe('mismatch')
    expect(await check(verification, signed(right.slice(3)), ['s'])).toBe('mismatch')
  })

  it('are not looked for in a header of more than 16,384 characters', async () => {
    const filled = (length: number) => signed(right, 'x'.repeat(length - right.length - 1))
    expect(await check(verification, filled(16_384), ['s'])).toBeNull()
    expect(await check(verification, filled(16_385), ['s'])).toBe('mismatch')
  })

  it('may come in headers of one name', async () => {
    const headers = new Headers({ 'x-signature': wrong })
    headers.append('x-signature', right)
    const sent = { headers: Object.fromEntries(headers), body: '{}' }
    expect(await check(verification, sent, ['s'])).toBeNull()
  })
})

describe('Basic', () => {
  const verification = Verification.parse({ kind: 'basic', username: 'jürgen' })
  const basic = (text: string, scheme = 'Basic') => ({
    headers: { authorization: `${scheme} ${Buffer.from(text).toString('base64')}` },
    body: '',
  })

  it.each([
    [basic('jürgen:päss:word'), null],
    [basic('jürgen:old'), null],
    [basic('jürgen:päss:word', 'basic'), null],
    [basic('jürgen:päss:word', 'Bearer'), 'mismatch'],
    [basic('jürgen:päss:wore'), 'mismatch'],
    [basic('jurgen:päss:word'), 'mismatch'],
    [basic('jürgen:'), 'mismatch'],
    [basic(''), 'mismatch'],
    [basic('x'.repeat(100_000)), 'mismatch'],
    [{ headers: { authorization: 'Basic' }, body: '' }, 'mismatch'],
    [{ headers: {}, body: '' }, 'missing'],
  ])('%# is answered', async (sent, expected) => {
    expect(await check(verification, sent, ['päss:word', 'old'])).toBe(expected)
  })

  it('accepts no empty password', async () => {
    expect(await check(verification, basic('jürgen:'), [''])).toBe('mismatch')
  })
})

describe('A token', () => {
  const bearer = Verification.parse({ kind: 'token', header: 'Authorization', prefix: 'Bearer ' })
  const plain = Verification.parse({ kind: 'token', header: 'X-Token' })
  const sent = (headers: Record<string, string>) => ({ headers, body: '' })

  it.each([
    [bearer, { authorization: 'Bearer abc' }, null],
    [bearer, { authorization: 'Bearer old' }, null],
    [bearer, { authorization: 'Bearer abd' }, 'mismatch'],
    [bearer, { authorization: 'abc' }, 'mismatch'],
    [bearer, { authorization: 'Bearer ' }, 'mismatch'],
    [bearer, { 'x-token': 'abc' }, 'missing'],
    [plain, { 'x-token': 'abc' }, null],
    [plain, { 'x-token': 'abcd' }, 'mismatch'],
    [plain, { 'x-token': 'ab' }, 'mismatch'],
    [plain, { 'x-token': '' }, 'mismatch'],
    [plain, {}, 'missing'],
  ])('%# is answered', async (verification, headers, expected) => {
    expect(await check(verification, sent(headers), ['abc', 'old'])).toBe(expected)
  })
})

it('takes whoever knows the address, if that is the rule', async () => {
  const verification = Verification.parse({ kind: 'address' })
  expect(await check(verification, { headers: {}, body: '', url: ADDRESS }, [])).toBeNull()
})
