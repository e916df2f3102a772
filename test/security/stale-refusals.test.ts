import { beforeEach, describe, expect, it } from 'vitest'
import { sample } from '../fixtures/depth.ts'
import { expectRefusal } from '../fixtures/refusal.ts'
import {
  type CallOptions,
  type client,
  type Json,
  openAdmin,
  outdateCallers,
} from '../fixtures/tenant.ts'

// A refusal that D1 finds to rest on old settings is rerun. Whatever was wrong with the body is
// still wrong then, although the body has been read.

const TOO_LONG = 10 * 1024 * 1024 + 1

let api: ReturnType<typeof client>

beforeEach(async () => {
  api = await openAdmin()
  await api.get('/orders/')
  await outdateCallers()
})

const chunked = (text: string) => new Blob([text]).stream()
const header = (name: string, value: string) => ({ headers: { [name]: value } })

const BAD_BODIES: [string, number, string, () => Json, CallOptions?][] = [
  ['that is no JSON', 400, 'VALIDATION_ERROR', () => '{"name":'],
  ['that comes in chunks and is no JSON', 400, 'VALIDATION_ERROR', () => chunked('{"name":')],
  ['that is too deep', 400, 'VALIDATION_ERROR', () => '['.repeat(65)],
  ['that is no object', 400, 'VALIDATION_ERROR', () => '[]'],
  ['that lacks what is required', 400, 'VALIDATION_ERROR', () => '{}'],
  [
    'of another type',
    415,
    'UNSUPPORTED_MEDIA_TYPE',
    () => '{}',
    header('Content-Type', 'text/html'),
  ],
  [
    'in another encoding',
    415,
    'UNSUPPORTED_MEDIA_TYPE',
    () => '{}',
    header('Content-Encoding', 'gzip'),
  ],
  [
    'that says it is too long',
    413,
    'PAYLOAD_TOO_LARGE',
    () => '{}',
    header('Content-Length', String(TOO_LONG)),
  ],
  ['that turns out too long', 413, 'PAYLOAD_TOO_LARGE', () => chunked(' '.repeat(TOO_LONG))],
]

describe.each([
  '/api/integrations/v1/orders/',
  '/api/integrations/v1/inventory/',
  '/api/settings/v1/api-keys/',
])('POST %s just after settings have changed', (path) => {
  it.each(sample(BAD_BODIES, 3))('refuses a body %s', async (_, status, code, body, options) => {
    expectRefusal(await api.post(path, body(), options), status, code)
  })

  it('leaves one audit row of the refusal', async () => {
    const answer = await api.post(path, '{"name":')
    const id = answer.headers.get('X-Request-Id')
    const { body } = await api.get(`/api/settings/v1/audit-log/?request_id=${id}`)
    const rows = body.data.map(({ status, error_code }: Json) => [status, error_code])
    expect(rows).toEqual([[400, 'VALIDATION_ERROR']])
  })
})
