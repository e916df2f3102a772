import { describe, expect, it } from 'vitest'
import { EARLIER_DOCUMENTS, OPENAPI_DOCUMENTS } from '../../src/openapi/documents.ts'
import { type Json, send } from '../fixtures/tenant.ts'
import { OPERATIONS, OPERATIONS_1_0, type Operation, resolve } from './document.ts'

interface Field {
  name: string
  schema: Json
  isRequired: boolean
}

/** The fields of an operation's body with a default, at any depth. */
function defaultsOf({ operation, document }: Operation): Field[] {
  const content: Json = operation.requestBody?.content ?? {}
  return Object.values(content).flatMap(({ schema }: Json) => within(document, schema, 'body'))
}

function within(document: Json, part: Json, name: string): Field[] {
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
