import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { beforeAll, describe, expect, it } from 'vitest'
import { served } from './serving.ts'

// Some clients send filters in the body of a GET. A Request with such a body comes only over HTTP.

const WARNING = {
  field: 'body',
  message: 'GET takes no body: it had no effect. Send filters as query parameters.',
}

let key: string

beforeAll(async () => {
  key = await served.createKey(['integrations.*'])
})

async function get(path: string, headers: object, body: string | undefined) {
  const url = `${served.origin}/api/integrations/v1${path}`
  const sent = request(url, { method: 'GET', headers: { 'X-API-Key': key, ...headers } })
  sent.end(body)
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  return { status: answer.statusCode, body: JSON.parse(await text(answer)) }
}

const FILTERS = '{"status":"pending"}'
const SIZED = { 'Content-Type': 'application/json', 'Content-Length': String(FILTERS.length) }

describe('GET with a body', () => {
  it('warns that it had no effect', async () => {
    const { status, body } = await get('/orders/', SIZED, FILTERS)
    expect([status, body.warnings]).toEqual([200, [WARNING]])
  })

  it('is refused by an export, which has no warnings', async () => {
    const { status, body } = await get('/orders/', { ...SIZED, Accept: 'text/csv' }, FILTERS)
    expect([status, Object.keys(body.error.fields)]).toEqual([400, ['body']])
  })

  it('is refused together with the limit of an export, for no single reason', async () => {
    const headers = { ...SIZED, Accept: 'text/csv' }
    const { status, body } = await get('/orders/?limit=5', headers, FILTERS)
    const { fields, reason } = body.error
    expect([status, Object.keys(fields), reason]).toEqual([400, ['limit', 'body'], undefined])
  })

  it('warns of nothing without a body', async () => {
    for (const headers of [{}, { 'Content-Length': '0' }, { 'Content-Type': 'application/json' }]) {
      expect((await get('/orders/', headers, undefined)).body.warnings).toBeUndefined()
    }
  })
})
