import { beforeAll, describe, expect, it } from 'vitest'
import { identifierAt } from '../faults/page.ts'
import { sample } from '../fixtures/depth.ts'
import { pathAt } from '../fixtures/endpoints.ts'
import type { Fields } from '../fixtures/forms.ts'
import { FORMS } from '../fixtures/forms.ts'
import { admin, db } from '../fixtures/opened.ts'
import { PAGES } from '../fixtures/pages.ts'
import { cookieOf, openDashboard, submit } from '../fixtures/session.ts'
import { storedNow } from '../fixtures/stored.ts'
import { type Answer, ORIGIN, send } from '../fixtures/tenant.ts'

// A submitted form has all fields that its page sends, and no others. Otherwise nothing is read from it.

const SENT = PAGES.filter(({ method }) => method === 'POST')
// The page of a run has no form while nothing has failed or waits, that of a connection has forms of other paths, and that of
// stock asks for the pair before.
const RUNS = ['/dashboard/send-again/', '/dashboard/apply-deliveries/']
const WITHOUT_OWN = [...RUNS, '/dashboard/connect/:preset/:id/', '/dashboard/inventory/adjust/']
const SEEN = PAGES.filter(
  ({ method, path }) => method === 'GET' && path in FORMS && !WITHOUT_OWN.includes(path),
)

let cookie: string

beforeAll(async () => {
  const { key } = await newKey()
  cookie = cookieOf(await submit('/dashboard/sign-in/', { key }))
})

async function newKey(): Promise<{ key: string }> {
  const scopes = ['settings.*', 'integrations.*']
  const body = { name: 'Forms', scopes }
  return (await admin.post('/api/settings/v1/api-keys/', body)).body.data
}

/** All that is stored, but what tells of requests. */
async function storedApart() {
  const { audit_log, keys, sqlite_sequence, ...stored } = await storedNow(db)
  return stored
}

const post = (path: string, body: BodyInit, headers: object = { Cookie: cookie }) => {
  const from = { Origin: ORIGIN, 'Content-Type': 'application/x-www-form-urlencoded', ...headers }
  const request = { method: 'POST', redirect: 'manual', body, headers: from } as const
  return send(new Request(ORIGIN + path, request))
}

const placeOf = async (path: string) => pathAt(path, await identifierAt(path, admin))

const textOf = ({ text }: Answer) => text.replaceAll('&quot;', '"')

describe('the table of forms', () => {
  it('has every form of the dashboard and nothing else', () => {
    expect(Object.keys(FORMS).toSorted()).toEqual(SENT.map(({ path }) => path).toSorted())
  })

  it.each(sample(SEEN, 10))('says what the page $path sends', async ({ path }) => {
    const { text } = await (await openDashboard()).get(await placeOf(path))
    const [, form = ''] = /<main.*?<form method="post"(.*?)<\/form>/s.exec(text) ?? []
    const controls = [...form.matchAll(/<(?:input|select|textarea)\b[^>]*>/g)].map(([tag]) => tag)
    const names = controls
      .filter((tag) => !/type="(?:checkbox|file)"| disabled/.test(tag))
      .map((tag) => / name="([^"]*)"/.exec(tag)?.[1] ?? '')
      .filter(
        (name) =>
          !/^(in|out)bound\.(?!unmapped|no_values|single_as_list|records_each|group_by|first|formats)|^keep_documents\./.test(
            name,
          ),
      )
    expect([...new Set(names)].toSorted()).toEqual(Object.keys(FORMS[path] ?? {}).toSorted())
  })
})

describe.each(sample(SENT, 8))('POST $path', ({ path }) => {
  const blank = FORMS[path] ?? {}

  it('refuses a form that is not whole, and changes nothing', async () => {
    const place = await placeOf(path)
    const before = await storedApart()
    const [first = ''] = Object.keys(blank)
    const without = (name: string): Fields => {
      const { [name]: _, ...others } = blank
      return others
    }
    const wrong: [Fields, named: string][] = [
      [{}, 'it lacks the field'],
      [{ a: '1' }, 'it lacks the field'],
      [{ ...blank, a: '1' }, 'it has an unknown field "a"'],
      [{ ...blank, [first]: ['', ''] }, `it has "${first}" more than once`],
      ...Object.keys(blank).map((name): [Fields, string] => [without(name), `"${name}"`]),
    ]
    for (const [fields, named] of wrong) {
      const answer = await submit(place, fields, { Cookie: cookie })
      expect([answer.status, answer.headers.get('Set-Cookie')]).toEqual([400, null])
      expect(textOf(answer).split('The form is not what its page sends')[1]).toContain(named)
    }
    expect(await storedApart()).toEqual(before)
  })

  it('refuses very many fields before it parses them, and other kinds of bodies', async () => {
    const place = await placeOf(path)
    const many = await post(place, 'a=1&'.repeat(16_000))
    expect(textOf(many)).toMatch(/it has more than \d+ fields|larger than 16384 bytes/)
    const parts = new FormData()
    for (const [name, value] of Object.entries(blank)) parts.append(name, String(value))
    const { body, headers } = new Response(parts)
    const type = { Cookie: cookie, 'Content-Type': headers.get('Content-Type') ?? '' }
    const whole = Buffer.from(await new Response(body).arrayBuffer())
    expect((await post(place, whole, type)).status).toBe(415)
  })
})
