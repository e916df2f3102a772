import { describe, expect, it } from 'vitest'
import { app } from '../../src/app.ts'
import { SCOPES } from '../../src/scopes.ts'
import { ENDPOINTS } from '../endpoints.ts'
import type { Json } from '../tenant.ts'
import { faultsOf, OPERATIONS, resolve, templateOf } from './document.ts'

const titled = OPERATIONS.map((one) => [`${one.method} ${one.path}`, one] as const)

describe('the documents', () => {
  it('have every route of the app, and no other', () => {
    // Middleware is registered for all methods.
    const routes = app.routes.filter(({ method }) => method !== 'ALL')
    const answered = routes.map(({ method, path }) => `${method} ${templateOf(path)}`)
    expect(titled.map(([title]) => title).sort()).toEqual([...new Set(answered)].sort())
  })

  it('name each operation once', () => {
    const ids = OPERATIONS.map(({ operation }) => operation.operationId)
    expect(ids.filter((id, index) => !id || ids.indexOf(id) !== index)).toEqual([])
  })

  it('say what each named field is', () => {
    // One that they leave out speaks for itself.
    const plain =
      /^(quantity|status|errors|messages|method|resource|reason|zone|aisle|name|success|error|customer_name|expected|found)$/
    const untold = OPERATIONS.flatMap(({ document }) =>
      Object.entries(document.components.schemas).flatMap(([component, schema]) =>
        Object.entries((schema as Json).properties ?? {})
          .filter(([name, property]) => !(property as Json).description && !plain.test(name))
          .map(([name]) => `${component}.${name}`),
      ),
    )
    expect([...new Set(untold)]).toEqual([])
  })
})

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

  it('has examples that are as their schemas say', () => {
    const contents = [
      ...(operation.requestBody ? [['the body', operation.requestBody]] : []),
      ...Object.entries(operation.responses),
    ].filter(([status]) => status !== 'default')
    for (const [what, part] of contents) {
      const { schema, example, examples } = resolve(document, part).content['application/json']
      const values = examples ? Object.values<Json>(examples).map(({ value }) => value) : [example]
      expect(values.length, what).toBeGreaterThan(0)
      for (const value of values) expect(faultsOf(document, schema, value), what).toEqual([])
    }
  })
})
