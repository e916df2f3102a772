import { describe, expect, it } from 'vitest'
import { hintOf, mintKey, parseKey } from '../../src/engine/identity/key.ts'
import { type Exchange, learnFrom, lookAtAnswer } from '../fixtures/secrets/answer.ts'
import { lookAtOutput, lookAtStart } from '../fixtures/secrets/output.ts'
import { isKey, KeySearch } from '../fixtures/secrets/search.ts'

async function newKey(tenant = 'demo'): Promise<string> {
  return (await mintKey(tenant)).value
}

/** Another last letter: the checksum is wrong. */
function misspelt(key: string): string {
  return key.slice(0, -1) + (key.endsWith('x') ? 'y' : 'x')
}

function secretOf(key: string): string {
  return key.slice(key.lastIndexOf('_') + 1)
}

/** What is found in the text, by a search that has been told of these keys. */
function foundIn(text: string, known: string[] = []): string[] {
  const search = new KeySearch()
  for (const key of known) search.learn(key)
  search.look('here', text)
  return search.take()
}

describe('a key', () => {
  it.each(['demo', 'a', 'north-2-sea'])('is known by its checksum, of %s', async (tenant) => {
    const key = await newKey(tenant)
    for (const text of [key, misspelt(key), `${key}x`, key.slice(1), key.replace('xd', 'sk')]) {
      expect(isKey(text), text).toBe((await parseKey(text)) !== null)
    }
    expect(isKey(key)).toBe(true)
  })

  it.each([
    ['alone', (key: string) => key],
    ['in a nested body', (key: string) => JSON.stringify({ data: [{ notes: `(${key})` }] })],
    ['among letters', (key: string) => `x${key}x`],
    ['in a query', (key: string) => `/orders/?key=${key}&limit=1`],
    ['in HTML', (key: string) => `<input value="${key}">`],
    ['twice', (key: string) => `${key}, ${key}`],
  ])('is found %s, and named by its hint', async (_, textWith) => {
    const key = await newKey()
    expect(foundIn(textWith(key))).toEqual([`here: ${hintOf(key)}`])
  })

  it.each([
    ['a hint', hintOf],
    ['a wrong checksum', misspelt],
    ['a key that is cut off', (key: string) => key.slice(0, -1)],
    ['the secret of a key that nobody knows', secretOf],
  ])('is not found in %s', async (_, textOf) => {
    expect(foundIn(textOf(await newKey()))).toEqual([])
  })

  it('is not found in its hash and hint, though it is known', async () => {
    const { value, hash, hint } = await mintKey('demo')
    expect(foundIn(JSON.stringify({ hash, hint }), [value])).toEqual([])
  })

  it.each([
    ['its secret', secretOf],
    ['its secret among letters', (key: string) => `00${secretOf(key)}00`],
    ['its secret, cut off', (key: string) => secretOf(key).slice(0, 16)],
    ['itself with a wrong checksum', misspelt],
    ['itself in base64', btoa],
    ['itself in base64 after one letter', (key: string) => btoa(`x${key}`)],
    ['itself in base64 after two letters', (key: string) => btoa(`xy${key}`)],
  ])('is found in %s, once it is known', async (_, textOf) => {
    const keys = [await newKey(), await newKey(), await newKey()]
    for (const key of keys) {
      expect(foundIn(textOf(key))).toEqual([])
      expect(foundIn(textOf(key), keys)).toEqual([`here: ${hintOf(key)}`])
    }
  })
})

describe('the secret of a webhook', () => {
  const SECRET = `"quoted" & it's <secret>`
  const inJson = (text: string) => JSON.stringify({ text })

  function foundOf(text: string, secret = SECRET): string[] {
    const search = new KeySearch()
    search.learnSecret(secret)
    search.look('here', text)
    return search.take()
  }

  it.each<[string, string]>([
    ['as it is', `(${SECRET})`],
    ['in JSON', inJson(SECRET)],
    ['in JSON in JSON', inJson(inJson(SECRET))],
    ['in an address', encodeURIComponent(`a=${SECRET}`)],
    ['in HTML', '<b title="&quot;quoted&quot; &amp; it&#39;s &lt;secret>">'],
    ['in base64', btoa(SECRET)],
    ['as a password of Basic', btoa(`user:${SECRET}`)],
    ['in base64 after two letters', btoa(`xy${SECRET}`)],
  ])('is found %s, and not told', (_, text) => {
    expect(foundOf(text)).toEqual([`here: a secret of ${SECRET.length} characters`])
  })

  it.each([
    ['a part of it', SECRET.slice(1)],
    ['another text', 'quoted it is secret'],
  ])('is not found in %s', (_, text) => {
    expect(foundOf(text)).toEqual([])
  })

  it('may be too short to look for', () => {
    expect(foundOf('a password', 'a password')).toEqual([])
  })

  it.each<[string, unknown]>([
    ['JSON', JSON.stringify({ name: 'x', secret: SECRET })],
    ['a form', new URLSearchParams({ secret: SECRET })],
    ['a form as text', String(new URLSearchParams({ secret: SECRET }))],
  ])('is learned from what is sent, as %s', (_, sent) => {
    const search = new KeySearch()
    learnFrom(search, sent)
    search.look('here', SECRET)
    expect(search.take()).toHaveLength(1)
  })
})

describe('an answer', () => {
  const created: Omit<Exchange, 'text'> = {
    method: 'POST',
    url: 'https://demo.example/api/settings/v1/api-keys/',
    status: 201,
    headers: new Headers(),
  }
  const form = { ...created, url: 'https://demo.example/dashboard/new/api-key/' }
  const rotation = 'https://demo.example/api/settings/v1/api-keys/1/rotate/'
  const rotationForm = 'https://demo.example/dashboard/api-keys/1/rotate/'
  const dataOf = (key: string, more = {}) => JSON.stringify({ data: { key, ...more } })
  const pageOf = (key: string) => `<code class="value">${key}</code><button data-copy="${key}">
    <code class="value">curl -H &#39;X-API-Key: ${key}&#39;</code>
    <button data-copy="curl -H &#39;X-API-Key: ${key}&#39;">`

  function foundInAnswers(...answers: Exchange[]): string[] {
    const search = new KeySearch()
    for (const answer of answers) lookAtAnswer(search, answer)
    return search.take()
  }

  it('shows a key that it has created', async () => {
    for (const answer of [created, { ...created, url: rotation }]) {
      expect(foundInAnswers({ ...answer, text: dataOf(await newKey()) })).toEqual([])
    }
    for (const answer of [form, { ...form, url: rotationForm }]) {
      expect(foundInAnswers({ ...answer, text: pageOf(await newKey()) })).toEqual([])
    }
  })

  it('shows the address of a webhook that a form has created or rotated', async () => {
    const addressed = (key: string) => {
      const address = `https://demo.example/webhooks/v1/${key}/`
      return `<code class="value">${address}</code><button data-copy="${address}">`
    }
    for (const path of ['new/webhook/', 'webhooks/1/rotate/']) {
      const answer = { ...created, url: `https://demo.example/dashboard/${path}` }
      const [key, other] = [await newKey(), await newKey()]
      expect(foundInAnswers({ ...answer, text: addressed(key) })).toEqual([])
      expect(foundInAnswers({ ...answer, text: addressed(other) + other })).toHaveLength(1)
    }
  })

  it('shows the address of a webhook that it has created or rotated, and nothing else of it', async () => {
    const webhooks = 'https://demo.example/api/settings/v1/webhooks/'
    for (const url of [webhooks, `${webhooks}1/rotate/`]) {
      const { value, hint } = await mintKey('demo', 'xh')
      const address = `https://demo.example/webhooks/v1/${value}/`
      const textOf = (data: object) => JSON.stringify({ data })
      expect(foundInAnswers({ ...created, url, text: textOf({ address }) })).toEqual([])
      const found = [`the answer to POST ${new URL(url).pathname}: ${hint}`]
      const text = textOf({ address, name: address })
      expect(foundInAnswers({ ...created, url, text })).toEqual(found)
      expect(foundInAnswers({ ...created, url, text: textOf({ token: value }) })).toEqual(found)
    }
  })

  it.each([
    ['another method', { method: 'PUT' }],
    ['another status', { status: 200 }],
    ['another path', { url: 'https://demo.example/api/settings/v1/api-keys/1/' }],
    ['a header', { headers: new Headers({ Location: '/x', 'X-Key': 'KEY' }), text: '{}' }],
  ])('does not with %s', async (_, differing) => {
    const key = await newKey()
    const answer = { ...created, text: dataOf(key), ...differing }
    if (answer.headers.has('X-Key')) answer.headers.set('X-Key', key)
    expect(foundInAnswers(answer)).toEqual([
      expect.stringMatching(new RegExp(`answer to .*: ${hintOf(key)}$`)),
    ])
  })

  it('shows it in one place only', async () => {
    const key = await newKey()
    const found = [`the answer to POST /api/settings/v1/api-keys/: ${hintOf(key)}`]
    for (const more of [{ name: key }, { old: { key } }, { secret: secretOf(key) }]) {
      expect(foundInAnswers({ ...created, text: dataOf(key, more) })).toEqual(found)
    }
    const page = `${pageOf(key)}<h1>${key}</h1>`
    expect(foundInAnswers({ ...form, text: page })).toHaveLength(1)
    expect(foundInAnswers({ ...form, text: pageOf(key) + pageOf(key) })).toHaveLength(1)
  })

  it('shows it once', async () => {
    const key = await newKey()
    const answer = { ...created, text: dataOf(key) }
    expect(foundInAnswers(answer, answer)).toHaveLength(1)
  })

  it('shows no other key than the new one', async () => {
    const [key, other] = [await newKey(), await newKey()]
    expect(foundInAnswers({ ...created, text: dataOf(key, { other }) })).toEqual([
      `the answer to POST /api/settings/v1/api-keys/: ${hintOf(other)}`,
    ])
  })
})

describe('what a program says', () => {
  type Program = [args: string[], stdoutOf: (key: string) => string]
  const MAKING: Program[] = [
    [['tenant', 'create', 'acme', '--json'], (key) => `{"tenant":"acme","settings_key":"${key}"}`],
    [['tenant', 'key', 'acme'], (key) => `Shown once.\n\n  Settings key  ${key}\n`],
  ]

  it.each(MAKING)('shows the key that it has made, once: %s', async (args, stdoutOf) => {
    const [search, key] = [new KeySearch(), await newKey('acme')]
    const output = { stdout: stdoutOf(key), stderr: 'Adding a settings key ... done' }
    lookAtOutput(search, args, output)
    expect(search.take()).toEqual([])
    lookAtOutput(search, args, output)
    expect(search.take()).toEqual([`stdout of ${args.join(' ')}: ${hintOf(key)}`])
  })

  it.each(MAKING)('shows it nowhere else: %s', async (args, stdoutOf) => {
    const [search, key, other] = [new KeySearch(), await newKey('acme'), await newKey('acme')]
    lookAtOutput(search, args, { stdout: `${key}\n${stdoutOf(key)}`, stderr: key })
    lookAtOutput(search, ['tenant', 'list'], { stdout: stdoutOf(other), stderr: '' })
    expect(search.take()).toEqual([
      `stdout of ${args.join(' ')}: ${hintOf(key)}`,
      `stderr of ${args.join(' ')}: ${hintOf(key)}`,
      `stdout of tenant list: ${hintOf(other)}`,
    ])
  })

  it('shows the keys of the demo in the welcome of npm start, and not in its log', async () => {
    const [search, key] = [new KeySearch(), await newKey()]
    const stdout = `  API key       ${key}  (integrations.*)\ncurl 'x' -H 'X-API-Key: ${key}'\n`
    lookAtStart(search, { stdout, stderr: '' })
    expect(search.take()).toEqual([])
    lookAtStart(search, { stdout: `${stdout}{"key":"${key}"}\n`, stderr: key })
    expect(search.take()).toEqual([
      `stdout of npm start: ${hintOf(key)}`,
      `stderr of npm start: ${hintOf(key)}`,
    ])
  })
})
