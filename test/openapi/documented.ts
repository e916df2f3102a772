import { beforeAll, expect } from 'vitest'
import { ENDPOINTS, type Endpoint } from '../fixtures/endpoints.ts'
import { admin } from '../fixtures/opened.ts'
import { issueKey } from '../fixtures/settings.ts'
import { execute } from '../fixtures/sql.ts'
import {
  type Answer,
  type Api,
  type CallOptions,
  createKey,
  type Json,
} from '../fixtures/tenant.ts'
import {
  faultsOf,
  OPERATIONS,
  operationAt,
  resolve,
  responseOf,
  templateOf,
  WEBHOOK_OPERATIONS,
} from './document.ts'

export const ALL = ['integrations.*', 'settings.*']

export const PAST = '2026-01-01T00:00:00.000Z'

export const SETTINGS = '/api/settings/v1'

export const KEYS = `${SETTINGS}/api-keys/`

/** Of the errors that are documented, those that were met: `POST /path/ 400 SERVICE_ERROR`. */
export const met = new Set<string>()

export let keys: Record<'expired' | 'powerless' | 'pinned' | 'outlived' | 'spent', string>

beforeAll(async () => {
  keys = {
    expired: (await createKey(ALL, { expires_at: PAST })).value,
    powerless: (await createKey([])).value,
    pinned: (await issueKey(admin, { release: '1.0' })).key,
    outlived: await keyOfRelease('0.9'),
    spent: (await issueKey(admin, { scopes: ALL, rate_limit: 1 })).key,
  }
})

/** Of a release that is no longer known. */
export async function keyOfRelease(release: string): Promise<string> {
  const { id, value } = await createKey(ALL)
  await execute('update api_keys set "release" = ? where id = ?', release, id)
  return value
}

export type Requested = [method: string, path: string, body?: Json]

/** The answer is documented, to its last field and header. */
export function expectDocumented(
  endpoint: Pick<Endpoint, 'method' | 'path'>,
  answer: Answer,
  status: number,
  among = OPERATIONS,
) {
  const operation = operationAt(endpoint.method, endpoint.path, among)
  const title = `${endpoint.method} ${templateOf(endpoint.path)} ${answer.status}`
  expect([answer.status, answer.text.slice(0, 500)]).toEqual([status, expect.anything()])
  const response = responseOf(operation, status)
  expect(response, `${title} is documented`).toBeDefined()
  const { schema } = response.content['application/json']
  expect(faultsOf(operation.document, schema, answer.body), title).toEqual([])
  const [documented, sent] = [Object.keys(response.headers), [...answer.headers.keys()]]
  // An unknown address and a ping have no caller.
  const hasCaller = among !== WEBHOOK_OPERATIONS && ![401, 403, 500, 503].includes(status)
  const isDue = (name: string) =>
    name === 'Server-Timing'
      ? hasCaller
      : resolve(operation.document, response.headers[name]).required
  const due = documented.filter(isDue).map((name) => name.toLowerCase())
  expect(sent, title).toEqual(expect.arrayContaining([...due, 'content-type']))
  // Of the connection, not of the endpoint.
  const ofAll = ['content-type', 'strict-transport-security']
  const known = [...documented.map((name) => name.toLowerCase()), ...ofAll]
  expect(known, title).toEqual(expect.arrayContaining(sent))
  expect(answer.headers.get('Content-Type')).toMatch(/^application\/json\b/)
  if (status >= 400) met.add(`${title} ${answer.body.error.code}`)
}

export function call(api: Api, [method, path, body]: Requested, options: CallOptions = {}) {
  return api.call(method, path, body, options)
}

/** What the document says of a field of an endpoint's body, or of each of its elements. */
export function schemaOf(method: string, path: string, field: string): Json {
  const { operation, document } = operationAt(method, path)
  const { schema } = operation.requestBody.content['application/json']
  const told = resolve(document, resolve(document, schema).properties[field])
  return resolve(document, told.items ?? told)
}

export const isLookup = ({ path }: Endpoint) => path.includes(':')

/** DELETE reads a body, too, be it only to name what in it has no effect. */
export const takesBody = ({ method }: Endpoint) => method !== 'GET'

export const isList = ({ method, path }: Endpoint) =>
  method === 'GET' &&
  responseOf(operationAt(method, path), 200).content['application/json'].schema.properties
    .pagination

export const titled = ENDPOINTS.map(
  (endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const,
)

export const those = (which: (endpoint: Endpoint) => unknown) =>
  titled.filter(([, one]) => which(one))

/** Checks an answer of an endpoint of the integrations API, or of one below /api. */
export async function documented(
  method: string,
  path: string,
  status: number,
  code: string,
  answer: Promise<Answer>,
) {
  const route = path.startsWith('/api') ? path : `/api/integrations/v1${path}`
  const told = await answer
  expectDocumented({ method, path: route }, told, status)
  expect(told.body.error?.code ?? 'success').toBe(code)
  return told.body.data
}

/** Method, path, status and code of each error that the documents give an example of. */
export function documentedErrors(among = OPERATIONS): string[] {
  return among.flatMap((one) => {
    const statuses = Object.keys(one.operation.responses).filter((status) => Number(status) >= 400)
    return statuses.flatMap((status) => {
      const { examples } = responseOf(one, status).content['application/json']
      return Object.keys(examples).map((code) => `${one.method} ${one.path} ${status} ${code}`)
    })
  })
}
