import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { LOCATIONS, ORDERS, PRODUCTS } from '../../scripts/dev/samples.ts'
import { filledAddress, shellLine } from '../../src/dashboard/browser/reference/curl.ts'
import type { Json } from '../fixtures/tenant.ts'
import { OPERATIONS, resolve, responseOf, WEBHOOK_OPERATIONS } from '../openapi/document.ts'

const run = promisify(execFile)

const page = await readFile('dist/assets/docs/index.html', 'utf8')

/** What the page says of an operation, as text. */
function toldOf(method: string, path: string): string {
  const [, section = ''] = page.split(
    new RegExp(`<section [^>]*id="[^"]*/${method}${escaped(path)}"`),
  )
  return textOf(section.split('</section>')[0] ?? '')
}

/** The same, with what it links to instead of telling it again; each link leads to an operation before. */
function toldWithLinked(method: string, path: string): string {
  const told = toldOf(method, path)
  const linked = Array.from(told.matchAll(/Its fields are those of ([^.]+)\./g), ([, title]) =>
    OPERATIONS.find(({ operation }) => operation.summary === title),
  )
  return [told, ...linked.map((one) => (one ? toldWithLinked(one.method, one.path) : ''))].join(
    '\n',
  )
}

function escaped(text: string): string {
  return text.replace(/[{}]/g, String.raw`\$&`)
}

function textOf(html: string): string {
  const entities: Record<string, string> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' }
  return html.replace(/<[^>]*>/g, '').replace(/&([^;]+);/g, (_, name) => entities[name] ?? '')
}

/** The names of all fields of a schema, at any depth. */
function namesIn(document: Json, part: Json): string[] {
  const { properties = {}, items, anyOf = [], additionalProperties } = resolve(document, part)
  return [
    ...Object.keys(properties),
    ...[...Object.values<Json>(properties), items, ...anyOf, additionalProperties]
      .filter((below) => typeof below === 'object')
      .flatMap((below) => namesIn(document, below)),
  ]
}

const ALL = [...OPERATIONS, ...WEBHOOK_OPERATIONS]
const titled = ALL.map((one) => [`${one.method} ${one.path}`, one] as const)

describe.each(titled)('the reference of %s', (_, one) => {
  const { method, path, operation, document } = one
  const told = toldOf(method, path)

  it('has its parameters, the fields of its body and of its answer, and its examples', () => {
    const parameters = (operation.parameters ?? []).map((some: Json) => resolve(document, some))
    const body = operation.requestBody?.content['application/json']
    const success = Object.keys(operation.responses).find((status) => status.startsWith('2')) ?? ''
    const { schema, example } = responseOf(one, success).content['application/json']
    const names = [
      ...parameters.map(({ name }: Json) => name),
      ...(body ? namesIn(document, body.schema) : []),
      ...namesIn(document, schema.properties.data),
    ]
    const all = toldWithLinked(method, path)
    for (const name of names) expect(all).toContain(`${name} `)
    for (const shown of [example, ...(body ? [body.example] : [])]) {
      expect(told).toContain(JSON.stringify(shown, null, 2))
    }
  })

  it('has every error that it may give', () => {
    for (const status of Object.keys(operation.responses).filter((some) => Number(some) >= 400)) {
      const { examples } = responseOf(one, status).content['application/json']
      for (const code of Object.keys(examples)) {
        expect(told).toMatch(new RegExp(`\\b${status} ([A-Z_]+, )*${code}\\b`))
      }
    }
    if (operation.security) expect(told).not.toContain('X-API-Key:')
    else expect(told).toContain(operation['x-required-scope'])
  })
})

describe('the reference', () => {
  it('has an element for every link into it, and no two with one id', () => {
    const ids = Array.from(page.matchAll(/ id="([^"]*)"/g), ([, id]) => id)
    const links = Array.from(page.matchAll(/href="#([^"]*)"/g), ([, id = '']) => decodeURI(id))
    expect(links.length).toBeGreaterThan(100)
    expect(links.filter((id) => !ids.includes(id))).toEqual([])
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('creates what neither npm start nor the README has created', async () => {
    const readme = await readFile('README.md', 'utf8')
    const taken = `${readme}${JSON.stringify([ORDERS, PRODUCTS, LOCATIONS])}`
    const creations = OPERATIONS.filter(({ method, operation }) =>
      /^create(Order|Product|Location)$/.test(method === 'POST' ? operation.operationId : ''),
    )
    const names = creations.map(({ operation }) => {
      const { order_number, sku, code } = operation.requestBody.content['application/json'].example
      return order_number ?? sku ?? code
    })
    expect(names).toHaveLength(3)
    for (const name of names) expect(taken).not.toContain(`"${name}"`)
  })
})

describe('the curl line of a request', () => {
  it.each([
    ['POST', `{"name": "O'Hara's \\"best\\" $HOME \`id\`"}`, []],
    ['POST', '', ['-X', 'POST']],
    ['GET', '', []],
    ['PUT', '{}', ['-X', 'PUT']],
    ['DELETE', '', ['-X', 'DELETE']],
  ])('gives a shell what is sent: %s %s', async (method, body, named) => {
    const url = 'http://localhost:8787/a/?q=it%27s&r=$HOME'
    const line = shellLine({ method, url, body })
    const script = `curl() { for part in "$@"; do printf '%s\\036' "$part"; done; }; KEY='a key'; ${line}`
    const { stdout } = await run('sh', ['-c', script])
    const sent = body === '' ? [] : ['-H', 'Content-Type: application/json', '-d', body]
    expect(stdout.split('\x1e').slice(0, -1)).toEqual([
      '-s',
      ...named,
      url,
      '-H',
      'X-API-Key: a key',
      ...sent,
    ])
  })
})

describe('the address of a request', () => {
  it.each([
    [{ identifier: 'A/01 ü' }, {}, '/a/A%2F01%20%C3%BC/'],
    [{ identifier: '' }, {}, '/a/{identifier}/'],
    [{ identifier: 'b' }, { limit: '5', cursor: '' }, '/a/b/?limit=5'],
    [
      { identifier: 'b' },
      { from: '2026-03-01T09:30:00+02:00' },
      '/a/b/?from=2026-03-01T09%3A30%3A00%2B02%3A00',
    ],
  ])('encodes %j and %j', (path, query, address) => {
    expect(filledAddress('/a/{identifier}/', path, query)).toBe(address)
  })
})
