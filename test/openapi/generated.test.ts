import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { RESOURCES } from '../../src/engine/mapping/identifier.ts'
import { byDepth, sample } from '../fixtures/depth.ts'
import { ENDPOINTS, type Endpoint, requestOf } from '../fixtures/endpoints.ts'
import { type Answer, type Api, type Json, openAdmin, unique } from '../fixtures/tenant.ts'
import { allowedBy } from './allowed.ts'
import { OPERATIONS, operationAt, resolve, validatorOf } from './document.ts'
import { forbiddenBy } from './forbidden.ts'
import { goesTogether, hasRange, isForCurrent, knowledgeOf } from './knowledge.ts'

// Bodies and queries as the documents allow them are taken, and as they forbid them refused. What no
// JSON schema says is in knowledge.ts; SEED repeats a run.

const RUNS = byDepth(2, 12)
const SETTINGS = '/api/settings/v1'
const { seed } = env.RANDOM

interface Case {
  endpoint: Endpoint
  document: Json
  schema: Json
  /** Of a mapping. */
  resource?: string
}

const bodies = ENDPOINTS.flatMap((endpoint): [string, Case][] => {
  const title = `${endpoint.method} ${endpoint.path}`
  const { operation, document } = operationAt(endpoint.method, endpoint.path)
  const schema = operation.requestBody?.content['application/json'].schema
  if (!schema) return []
  if (!schema.anyOf) return [[title, { endpoint, document, schema }]]
  return RESOURCES.map((resource, index) => [
    `${title} of ${resource}`,
    { endpoint, document, schema: schema.anyOf[index], resource },
  ])
})

const queries = ENDPOINTS.flatMap((endpoint): [string, Case][] => {
  const { operation, document } = operationAt(endpoint.method, endpoint.path)
  const parameters = (operation.parameters ?? []).map((one: Json) => resolve(document, one))
  const asked = parameters.filter((one: Json) => one.in === 'query' && one.name !== 'cursor')
  // Of the feed a schema cannot say that it takes either from or cursor.
  if (asked.length === 0 || endpoint.query) return []
  const properties = Object.fromEntries(asked.map(({ name, schema }: Json) => [name, schema]))
  const schema = { type: 'object', properties, additionalProperties: false }
  return [[`${endpoint.method} ${endpoint.path}`, { endpoint, document, schema }]]
})

let admins: Record<Endpoint['area'], Api>
let partner: string

beforeAll(async () => {
  // The second tenant's integrations API may be switched off on the way.
  admins = { integrations: await openAdmin(), settings: await openAdmin('other') }
  const made = await admins.settings.post(`${SETTINGS}/partners/`, { name: unique('partner') })
  partner = made.body.data.id
})

/** The path of a record that exists. A body before may have switched the integration off. */
async function placeOf({ endpoint, resource }: Case): Promise<string> {
  if (endpoint.area === 'settings') await switchOn()
  const [, path] = await requestOf(endpoint, admins[endpoint.area])
  return resource ? path.replace('/mappings/orders/', `/mappings/${resource}/`) : path
}

async function switchOn(): Promise<void> {
  const open = { integration_enabled: true, pause: null }
  await admins.settings.put(`${SETTINGS}/workspace/`, open)
}

/** That nobody has the number yet is not a matter of its form. */
function isRefused({ body }: Answer): boolean {
  // An answer may be CSV.
  const taken = body?.error?.fields?.order_number?.join() === 'Already exists.'
  return body?.error?.code === 'VALIDATION_ERROR' && !taken
}

async function expectRefused(answer: Promise<Answer>, expected: boolean) {
  const told = await answer
  expect(told.status, told.text).toBeLessThan(500)
  expect(isRefused(told), told.text).toBe(expected)
}

async function hold(generated: fc.Arbitrary<Json>, check: (value: Json) => Promise<void>) {
  await fc.assert(fc.asyncProperty(generated, check), { seed, numRuns: RUNS, endOnFailure: true })
}

describe.each(sample(bodies, 10))('%s', (_, one) => {
  const { document, schema, resource, endpoint } = one
  const { method, area } = endpoint
  const allowed = () =>
    allowedBy(document, schema, knowledgeOf({ partner, resource })).filter(
      (body) => (method === 'POST' || isForCurrent(body)) && hasRange(body),
    )

  async function holdFor(generated: fc.Arbitrary<Json>, expected: boolean) {
    const path = await placeOf(one)
    await hold(generated, (body) => expectRefused(admins[area].call(method, path, body), expected))
  }

  it('takes what the document allows', () => holdFor(allowed(), false))

  it('refuses what the document forbids', () =>
    holdFor(forbiddenBy(document, withoutRows(document, schema), allowed()), true))
})

/** A bad row of an upload is an error of its own, in a 200. */
function withoutRows(document: Json, schema: Json): Json {
  const { properties, ...others } = resolve(document, schema)
  const name = ['inventory', 'item_codes'].find((one) => properties[one])
  if (!name) return schema
  const { items: _, ...rows } = properties[name]
  return { ...others, properties: { ...properties, [name]: rows } }
}

describe.each(sample(queries, 6))('the query of %s', (_, one) => {
  const { document, schema, endpoint } = one
  const allowed = () => allowedBy(document, schema, knowledgeOf({}))
  const { validate } = validatorOf(document, schema)

  /** As a server reads the texts of a query: an integer, true or false where one is asked for. */
  const isAllowed = (query: Record<string, string>) => {
    const read = Object.entries(query).map(([name, text]) => {
      const type = schema.properties[name]?.type
      if (type === 'boolean' && ['true', 'false'].includes(text)) return [name, text === 'true']
      return [name, type === 'integer' && /^-?\d+$/.test(text) ? Number(text) : text]
    })
    return validate(Object.fromEntries(read))
  }

  async function holdFor(generated: fc.Arbitrary<Json>, expected: boolean) {
    const admin = admins[endpoint.area]
    if (endpoint.area === 'settings') await switchOn()
    await hold(generated, async (query) => {
      const [method, path, body] = await requestOf(endpoint, admin)
      const answer = admin.call(method, `${path}?${new URLSearchParams(query)}`, body)
      await expectRefused(answer, expected)
    })
  }

  it('takes what the document allows', () =>
    holdFor(allowed().map(textsOf).filter(goesTogether(endpoint.path)), false))

  it('refuses what the document forbids', async () => {
    const forbidden = forbiddenBy(document, schema, allowed()).map(textsOf)
    await holdFor(
      forbidden.filter((query) => !isAllowed(query)),
      true,
    )
  })
})

function textsOf(query: Json): Record<string, string> {
  const entries = Object.entries(query).filter(([, value]) => Object(value) !== value)
  return Object.fromEntries(entries.map(([name, value]) => [name, String(value).toWellFormed()]))
}

describe('the generated bodies', () => {
  it('are of every operation that takes one', ({ task }) => {
    task.meta.notice = `generated bodies and queries: seed ${seed}`
    const operations = OPERATIONS.filter(({ operation }) => operation.requestBody)
    const met = new Set(
      bodies.map(([, { endpoint }]) => operationAt(endpoint.method, endpoint.path)),
    )
    expect(operations.filter((one) => !met.has(one))).toEqual([])
    expect(queries.length).toBeGreaterThan(0)
  })
})
