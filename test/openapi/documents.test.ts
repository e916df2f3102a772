import { describe, expect, it } from 'vitest'
import { SCOPES } from '../../src/engine/identity/scopes.ts'
import { DESCRIPTIONS } from '../../src/openapi/descriptions.ts'
import { EARLIER_DOCUMENTS, OPENAPI_DOCUMENTS } from '../../src/openapi/documents.ts'
import { sample } from '../fixtures/depth.ts'
import { ENDPOINTS, PUBLIC } from '../fixtures/endpoints.ts'
import { routesBelow } from '../fixtures/routes.ts'
import { type Json, send } from '../fixtures/tenant.ts'
import {
  faultsOf,
  OPERATIONS,
  OPERATIONS_1_0,
  type Operation,
  resolve,
  templateOf,
} from './document.ts'

interface WithDefault {
  name: string
  schema: Json
  isRequired: boolean
}

/** The fields of an operation's body with a default, at any depth. */
function defaultsOf({ operation, document }: Operation): WithDefault[] {
  const content: Json = operation.requestBody?.content ?? {}
  return Object.values(content).flatMap(({ schema }: Json) => within(document, schema, 'body'))
}

function within(document: Json, part: Json, name: string): WithDefault[] {
  const schema = resolve(document, part)
  const alternatives = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])]
  const members = Object.entries<Json>(schema.properties ?? {})
  const fields = members.map(([member, field]) => ({
    name: `${name}.${member}`,
    schema: resolve(document, field),
    isRequired: (schema.required ?? []).includes(member),
  }))
  return [
    ...fields.filter((field) => field.schema.default !== undefined),
    ...members.flatMap(([member, field]) => within(document, field, `${name}.${member}`)),
    ...alternatives.flatMap((one: Json) => within(document, one, name)),
    ...(schema.items ? within(document, schema.items, `${name}[]`) : []),
  ]
}

const takesNull = (schema: Json): boolean =>
  [schema.type].flat().includes('null') || (schema.anyOf ?? []).some(takesNull)

const FIELDS = [...OPERATIONS, ...OPERATIONS_1_0].flatMap((one) =>
  defaultsOf(one).map((field) => ({ ...field, at: `${one.method} ${one.path} ${field.name}` })),
)

describe('the fields of bodies that have a default', () => {
  it('are found', () => {
    expect(FIELDS.map(({ at }) => at)).toContain(
      'POST /api/integrations/v1/products/ body.custom_fields',
    )
    expect(FIELDS.length).toBeGreaterThan(9)
  })

  it('are optional', () => {
    expect(FIELDS.filter(({ isRequired }) => isRequired)).toEqual([])
  })

  it('are no null, unless that is the default: who wants it leaves the field out', () => {
    const others = FIELDS.filter(({ schema }) => schema.default !== null && takesNull(schema))
    expect(others.map(({ at }) => at)).toEqual([])
  })
})

const ALL = { ...OPENAPI_DOCUMENTS, ...EARLIER_DOCUMENTS }

describe.each(Object.entries(ALL))('GET %s', (path, document) => {
  it.each(['https://demo.crossdock.example', 'http://localhost:9000', 'http://127.0.0.1:8787'])(
    'is the document, with the address at which it was asked for: %s',
    async (origin) => {
      const answer = await send(new Request(origin + path))
      expect(answer.status).toBe(200)
      expect(answer.body).toEqual({ servers: [{ url: origin }], ...document })
      expect(answer.headers.get('Cache-Control')).toBe('no-store')
    },
  )
})

// These speak for themselves.
const PLAIN = [
  'aisle',
  'customer_name',
  'error',
  'messages',
  'quantity',
  'resource',
  'status',
  'success',
  'system',
  'title',
  'zone',
]

const titled = OPERATIONS.map((one) => [`${one.method} ${one.path}`, one] as const)

describe('the documents', () => {
  it('have every route of the API, and no other', () => {
    const own = PUBLIC.map(({ method, path }) => `${method} ${path}`)
    const routes = routesBelow('/api/')
      .filter((route) => !own.includes(route))
      .map(templateOf)
    expect(titled.map(([title]) => title).sort()).toEqual(routes.sort())
  })

  // Importers and generators of clients send such a value, because nothing else can be sent.
  it('have no parameter that may be left out and has one possible value', () => {
    const single = OPERATIONS.flatMap(({ operation, document }) =>
      (operation.parameters ?? [])
        .map((one: Json) => resolve(document, one))
        .filter(({ required, schema }: Json) => !required && isSingle(resolve(document, schema)))
        .map(({ name }: Json) => `${operation.operationId} ${name}`),
    )
    expect(single).toEqual([])
  })

  it('rehearse no write unless asked to', () => {
    for (const { method, operation, document } of OPERATIONS) {
      const parameters = (operation.parameters ?? []).map((one: Json) => resolve(document, one))
      const dry = parameters.find(({ name }: Json) => name === 'dry_run')
      if (method === 'GET') continue
      expect(dry).toMatchObject({ schema: { type: 'boolean', default: false }, example: false })
    }
  })

  it('name the header that lets a read see a write, with a blank example', () => {
    for (const { method, operation, document } of OPERATIONS) {
      const parameters = (operation.parameters ?? []).map((one: Json) => resolve(document, one))
      const header = parameters.find(({ name }: Json) => name === 'X-Read-After')
      if (method === 'GET') {
        expect(header).toMatchObject({ in: 'header', example: '' })
        expect(operation.responses).toHaveProperty('400')
      } else {
        expect(header).toBeUndefined()
      }
    }
  })

  it('name each operation once', () => {
    const ids = OPERATIONS.map(({ operation }) => operation.operationId)
    expect(ids.filter((id, index) => !id || ids.indexOf(id) !== index)).toEqual([])
  })

  it('say what a field is, and of no field that is not there', () => {
    const documents = new Set(OPERATIONS.map(({ document }) => document))
    const there = [...documents].flatMap(({ components, paths }) => [
      ...Object.entries(components.schemas).flatMap(([name, schema]) => fieldsOf(name, schema)),
      ...parametersOf(paths),
    ])
    const told = new Set(there.flatMap(({ names }) => names))
    expect(Object.keys(DESCRIPTIONS).filter((name) => !told.has(name))).toEqual([])
    const untold = there.filter(({ description }) => !description)
    expect([...new Set(untold.map(({ names }) => names.at(-1)))].sort()).toEqual(PLAIN)
  })
})

const isSingle = (schema: Json) => 'const' in schema || schema.enum?.length === 1

interface Field {
  /** As DESCRIPTIONS may know it. */
  names: string[]
  description: string | undefined
}

function fieldsOf(component: string, { properties = {}, items, anyOf = [] }: Json): Field[] {
  const own = Object.entries<Json>(properties).flatMap(([name, property]) => [
    { names: [`${component}.${name}`, name], description: property.description },
    ...fieldsOf(component, property),
  ])
  return [
    ...own,
    ...[...anyOf, ...(items ? [items] : [])].flatMap((part) => fieldsOf(component, part)),
  ]
}

function parametersOf(paths: Json): Field[] {
  const operations = Object.values<Json>(paths).flatMap((path) => Object.values<Json>(path))
  return operations
    .flatMap(({ operationId, parameters = [] }) =>
      parameters.map((parameter: Json) => ({ operationId, ...parameter })),
    )
    .filter(({ $ref }) => !$ref)
    .map(({ operationId, name, description }) => ({
      names: [`${operationId}?${name}`, `?${name}`],
      description,
    }))
}

describe.each(titled)('%s', (_, { method, path, operation, document }) => {
  it('names the scope that the route asks for', () => {
    const endpoint = ENDPOINTS.find((one) => one.method === method && templateOf(one.path) === path)
    expect(operation['x-required-scope']).toBe(endpoint?.scope)
    expect(SCOPES).toContain(operation['x-required-scope'])
    expect(operation.description).toContain(`\`${endpoint?.scope}\``)
  })

  it('is told in words', () => {
    expect(operation.summary).toMatch(/^[A-Z].*[a-zA-Z]$/)
    expect(operation.description).toMatch(/\S/)
    expect(document.tags.map(({ name }: Json) => name)).toContain(operation.tags[0])
  })

  it('has its path parameters', () => {
    const parameters = (operation.parameters ?? []).map((one: Json) => resolve(document, one))
    const names = parameters
      .filter(({ in: at }: Json) => at === 'path')
      .map((one: Json) => one.name)
    expect(names).toEqual(Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => name))
    for (const parameter of parameters) expect(parameter.description).toMatch(/\S/)
  })

  it('refuses keys and may be out of order', () => {
    expect(Object.keys(operation.responses)).toEqual(
      expect.arrayContaining(['401', '403', '500', '503', 'default']),
    )
  })
})

describe.each(sample(titled, 20))('%s', (_, { operation, document }) => {
  it('has examples that are as their schemas say', () => {
    expectExamplesToFit({ operation, document })
  })
})

describe.each(OPERATIONS_1_0.map((one) => [`${one.method} ${one.path}`, one] as const))(
  '%s in release 1.0',
  (_, one) => {
    it('has examples that are as their schemas say', () => {
      expectExamplesToFit(one)
    })
  },
)

function expectExamplesToFit({ operation, document }: Pick<Operation, 'operation' | 'document'>) {
  const contents = [
    ...(operation.requestBody ? [['the body', operation.requestBody]] : []),
    ...Object.entries(operation.responses),
    // A 304 has no body.
  ].filter(([status]) => status !== 'default' && status !== '304')
  for (const [what, part] of contents) {
    const { schema, example, examples } = resolve(document, part).content['application/json']
    const values = examples ? Object.values<Json>(examples).map(({ value }) => value) : [example]
    expect(values.length, what).toBeGreaterThan(0)
    for (const value of values) expect(faultsOf(document, schema, value), what).toEqual([])
  }
}
