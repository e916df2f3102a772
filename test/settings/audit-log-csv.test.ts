import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import worker from '../../src/index.ts'
import { insertRequests } from '../fixtures/audit-rows.ts'
import { intercept, type Watch } from '../fixtures/bindings.ts'
import { linesOf, recordsOf } from '../fixtures/csv.ts'
import { inDeepPass } from '../fixtures/depth.ts'
import { admin } from '../fixtures/opened.ts'
import { rowsRead } from '../fixtures/pages-read.ts'
import { expectInvalid } from '../fixtures/refusal.ts'
import { lookAtAnswer } from '../fixtures/secrets/answer.ts'
import { outgoing } from '../fixtures/secrets/outgoing.ts'
import { AUDIT } from '../fixtures/settings.ts'
import { execute } from '../fixtures/sql.ts'
import {
  type Answer,
  client,
  createKey,
  type Json,
  ORIGIN,
  send,
  unique,
} from '../fixtures/tenant.ts'
import { operationAt, responseOf } from '../openapi/document.ts'
import { find } from './trail.ts'

const COLUMNS =
  'request_id,created_at,api_key_id,api_key_name,partner_id,partner_name,method,path,record_name,status,error_code,message,duration_ms,replay_of,delivery_outcome,delivery_event,delivery_sender_id,dry_run,document_until,document_reason,source,notes,counts_total,counts_created,counts_updated,counts_failed'

async function csv(query: Record<string, string>): Promise<Answer> {
  const answer = await admin.get(`${AUDIT}?${new URLSearchParams({ format: 'csv', ...query })}`)
  expect([answer.status, answer.text.slice(0, 200)]).toEqual([200, expect.any(String)])
  return answer
}

const idsIn = ({ text }: Answer) => recordsOf(text).map(({ request_id }) => request_id)

const nextOf = ({ headers }: Answer) => /^<(.*)>; rel="next"$/.exec(headers.get('Link') ?? '')?.[1]

/** The ids of all pages, and how many pages there were. */
async function walk(query: Record<string, string>) {
  const ids: (string | undefined)[] = []
  let answer = await csv(query)
  let pages = 1
  for (let next = nextOf(answer); next !== undefined; next = nextOf(answer)) {
    ids.push(...idsIn(answer))
    answer = await admin.get(next.slice(ORIGIN.length))
    expect(answer.status).toBe(200)
    pages += 1
  }
  return { ids: [...ids, ...idsIn(answer)], pages }
}

describe('GET /audit-log/?format=csv', () => {
  it('has the rows of the JSON list, in its order, with the same values', async () => {
    const key = unique('key')
    await insertRequests([
      {
        api_key_id: key,
        path: '/api/integrations/v1/inventory/',
        partner_id: 'p',
        partner_name: 'P',
      },
      {
        api_key_id: key,
        status: 400,
        error_code: 'VALIDATION_ERROR',
        message: 'items[0].quantity: Must be an integer.',
        record_name: 'SO-1',
      },
      { api_key_id: key, source: 's', notes: 'n', rows_total: 9, rows_created: 4, rows_failed: 2 },
    ])
    const { text, headers } = await csv({ api_key_id: key })
    expect(linesOf(text)[0]?.join()).toBe(COLUMNS)
    const expected = (await find({ api_key_id: key })).map(
      ({ api_key, partner, counts, document, delivery, ...row }: Json) => ({
        ...row,
        delivery_outcome: delivery?.outcome ?? null,
        delivery_event: delivery?.event ?? null,
        delivery_sender_id: delivery?.sender_id ?? null,
        document_until: document?.until ?? null,
        document_reason: document?.reason ?? null,
        api_key_id: api_key.id,
        api_key_name: api_key.name,
        partner_id: partner?.id ?? null,
        partner_name: partner?.name ?? null,
        counts_total: counts?.total ?? null,
        counts_created: counts?.created ?? null,
        counts_updated: counts?.updated ?? null,
        counts_failed: counts?.failed ?? null,
      }),
    )
    expect(expected).toHaveLength(3)
    expect(recordsOf(text)).toEqual(
      expected.map((row: Json) =>
        Object.fromEntries(Object.entries(row).map(([name, value]) => [name, String(value ?? '')])),
      ),
    )
    expect(headers.get('Content-Type')).toBe('text/csv; charset=utf-8')
    expect(headers.get('Content-Disposition')).toMatch(
      /^attachment; filename="audit-log-demo-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ\.csv"$/,
    )
    expect([headers.has('Link'), headers.has('X-Searched-To')]).toEqual([false, false])
  })

  it('quotes and guards what names, paths and notes hold', async () => {
    const key = unique('key')
    const texts = {
      api_key_name: '=cmd|"/c calc"!A1',
      source: '@SUM(1,2)',
      notes: 'Halle 3,\r\n"süd" 東京 😀',
      message: '-1',
      record_name: '+1',
    }
    await insertRequests([{ api_key_id: key, ...texts }])
    const [row] = recordsOf((await csv({ api_key_id: key })).text)
    expect(row).toMatchObject({
      api_key_name: `'${texts.api_key_name}`,
      source: `'${texts.source}`,
      notes: texts.notes,
      message: "'-1",
      record_name: "'+1",
    })
  })

  it('of nothing is its first line', async () => {
    expect((await csv({ api_key_id: unique('none') })).text).toBe(`${COLUMNS}\r\n`)
  })

  it('takes the filters of the list', async () => {
    const key = unique('key')
    await insertRequests(
      [200, 404, 500].map((status) => ({
        api_key_id: key,
        status,
        request_id: `${key}-${status}`,
      })),
    )
    expect(idsIn(await csv({ api_key_id: key, status: '4xx' }))).toEqual([`${key}-404`])
    expect(idsIn(await csv({ request_id: `${key}-500` }))).toEqual([`${key}-500`])
    expect(idsIn(await csv({ api_key_id: key, to: '2001-01-01' }))).toEqual([])
  })

  it.each([
    ['api_key_id', {}],
    ['method', { from: '2020-01-01' }],
    ['record_name_prefix', {}],
  ])('by %s leads to its end through Link, with each row once', async (name, more) => {
    const value = unique('walk').toUpperCase()
    await insertRequests([{ [name === 'record_name_prefix' ? 'record_name' : name]: value }], 23)
    const expected = (await find({ [name]: value, ...more, limit: '200' })).map(
      ({ request_id }) => request_id,
    )
    expect(expected).toHaveLength(23)
    const { ids, pages } = await walk({ [name]: value, ...more, limit: '5' })
    expect(ids).toEqual(expected)
    expect(pages).toBe(5)
  })

  it('ends without Link even if the last page is full', async () => {
    const key = unique('key')
    await insertRequests([{ api_key_id: key }], 10)
    const { ids, pages } = await walk({ api_key_id: key, limit: '5' })
    expect([new Set(ids).size, pages]).toEqual([10, 2])
  })

  it('says by its name that more follow', async () => {
    const key = unique('key')
    await insertRequests([{ api_key_id: key }], 2)
    const { headers } = await csv({ api_key_id: key, limit: '1' })
    expect(headers.get('Content-Disposition')).toMatch(/Z-more-follow\.csv"$/)
  })

  it('has the headers that are documented, and no others', async () => {
    const key = unique('key')
    await insertRequests([{ api_key_id: key }], 2)
    const { headers } = await csv({ api_key_id: key, limit: '1' })
    const operation = operationAt('GET', AUDIT)
    const { headers: documented, content } = responseOf(operation, 200)
    // Of the connection, not of the endpoint.
    const ofAll = ['Content-Type', 'Strict-Transport-Security']
    const known = [...ofAll, ...Object.keys(documented)].map((name) => name.toLowerCase())
    expect(known).toEqual(expect.arrayContaining([...headers.keys()]))
    const [names] = linesOf(content['text/csv'].example)
    expect(names?.join()).toBe(COLUMNS)
  })

  it('is not read by HEAD', async () => {
    const url = `${ORIGIN}${AUDIT}?format=csv`
    const { value } = await createKey(['settings.*'])
    const head = new Request(url, { method: 'HEAD', headers: { 'X-API-Key': value } })
    const { status, headers, text } = await send(head)
    expect([status, text, headers.get('Content-Type')]).toEqual([
      200,
      '',
      'text/csv; charset=utf-8',
    ])
  })

  it.each([
    ['format', 'xml', 'Must be one of: json, csv.'],
    ['format', 'CSV', 'Must be one of: json, csv.'],
    ['limit', '10001', 'Must be an integer from 1 to 10000.'],
    ['limit', '0', 'Must be an integer from 1 to 10000.'],
    ['cursor', 'x', 'Not a cursor of this list'],
    ['colour', 'red', 'Unknown query parameter.'],
  ])('refuses %s=%s by name', async (name, value, message) => {
    const query = new URLSearchParams({ format: 'csv', [name]: value })
    const answer = await admin.get(`${AUDIT}?${query}`)
    expectInvalid(answer, name)
    expect(answer.body.error.fields[name].join()).toContain(message)
    expect(answer.headers.get('Content-Type')).toMatch(/^application\/json/)
  })

  it('has a limit of its own: JSON still takes 200 at most', async () => {
    expect((await admin.get(`${AUDIT}?limit=200&format=json`)).body.pagination.limit).toBe(200)
    const answer = await admin.get(`${AUDIT}?limit=201&format=json`)
    expectInvalid(answer, 'limit')
    expect(answer.body.error.fields.limit).toEqual(['Must be an integer from 1 to 200.'])
    expect((await admin.get(`${AUDIT}?format=json`)).body.pagination.limit).toBe(50)
  })
})

describe('GET /audit-log/?format=csv of many rows', () => {
  inDeepPass(() => {
    it('has 10,000 in a page, and the others in the next', async () => {
      const key = unique('key')
      await insertRequests([{ api_key_id: key }], 10_003)
      const first = await csv({ api_key_id: key })
      expect(idsIn(first)).toHaveLength(10_000)
      const { ids, pages } = await walk({ api_key_id: key })
      expect([new Set(ids).size, ids.length, pages]).toEqual([10_003, 10_003, 2])
    })

    it('goes on after a page that is empty, and says how far it has searched', async () => {
      const code = unique('RARE').toUpperCase()
      const [old, later] = ['2003-01-01T00:00:00.000Z', '2003-01-02T00:00:00.000Z']
      const range = { from: '2003-01-01', to: '2003-01-03' }
      await insertRequests([{ error_code: code, created_at: old }])
      await insertRequests([{ created_at: later }], 100_010)
      const first = await csv({ error_code: code, ...range })
      expect(first.text).toBe(`${COLUMNS}\r\n`)
      expect(first.headers.get('X-Searched-To')).toBe(later)
      expect(rowsRead(first)).toBeLessThanOrEqual(200_000)
      const next = await admin.get((nextOf(first) ?? '').slice(ORIGIN.length))
      expect(recordsOf(next.text).map(({ error_code }) => error_code)).toEqual([code])
      expect([nextOf(next), next.headers.get('X-Searched-To')]).toEqual([undefined, null])
    })
  })

  it('is read in parts of bounded size, whatever its texts are', async () => {
    const key = unique('key')
    await insertRequests([{ api_key_id: key, notes: 'ü'.repeat(10_000) }], 300)
    await insertRequests([{ api_key_id: key, notes: 'short' }], 300)
    const sizes: number[] = []
    const batch: Watch = async (call) => {
      const answers = (await call()) as D1Result<object>[]
      const values = answers.map(({ results }) => results.map(Object.values))
      sizes.push(JSON.stringify(values).length)
      return answers
    }
    const { value } = await createKey(['settings.*'])
    const bindings = { ...env, DB_DEMO: intercept(env.DB_DEMO, { batch }) }
    const path = `${AUDIT}?format=csv&api_key_id=${key}`
    const { text } = await client(value, { bindings }).get(path)
    const notes = recordsOf(text).map((row) => row.notes?.length)
    expect(notes).toEqual([...Array(300).fill(5), ...Array(300).fill(10_000)])
    expect(Math.max(...sizes)).toBeLessThan(1024 * 1024)
    expect(sizes.length).toBeGreaterThan(5)
  })

  it('breaks off where the database fails on the way, so that half of it never looks whole', async () => {
    const key = unique('key')
    await insertRequests([{ api_key_id: key, notes: 'n'.repeat(900) }], 2000)
    let calls = 0
    const batch: Watch = async (call) => {
      calls += 1
      if (calls > 4) throw new Error('no such table')
      return await call()
    }
    const bindings = { ...env, DB_DEMO: intercept(env.DB_DEMO, { batch }) }
    const { value } = await createKey(['settings.*'])
    let response: Response | undefined
    const holding = {
      async fetch(request: Request, bindings: Json, context: ExecutionContext) {
        response = (await worker.fetch(request, bindings, context)) as Response
        return new Response('held')
      },
    }
    const url = `${ORIGIN}${AUDIT}?format=csv&api_key_id=${key}`
    const request = new Request(url, { headers: { 'X-API-Key': value } })
    await send(request, { worker: holding, bindings })
    const { status, headers } = response!
    lookAtAnswer(outgoing, { method: 'GET', url, status, headers, text: '' })
    expect(status).toBe(200)
    await expect(response!.text()).rejects.toThrow()
  })

  it('leaves out a row that retention deletes on the way, and no other', async () => {
    const key = unique('key')
    await insertRequests([{ api_key_id: key, request_id: `${key}-gone` }])
    await insertRequests([{ api_key_id: key }], 600)
    const batch: Watch = async (call) => {
      const results = await call()
      await execute('delete from audit_log where request_id = ?', `${key}-gone`)
      return results
    }
    const { value } = await createKey(['settings.*'])
    const bindings = { ...env, DB_DEMO: intercept(env.DB_DEMO, { batch }) }
    const api = client(value, { bindings })
    const answer = await api.get(`${AUDIT}?format=csv&api_key_id=${key}`)
    expect(idsIn(answer)).toHaveLength(600)
  })
})
