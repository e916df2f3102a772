import { type Schema, Validator } from '@cfworker/json-schema'
import { EARLIER_DOCUMENTS, OPENAPI_DOCUMENTS } from '../../src/openapi/documents.ts'
import type { Json } from '../fixtures/tenant.ts'

export interface Operation {
  method: string
  path: string
  /** As the document has it, references and all. */
  operation: Json
  document: Json
}

const METHODS = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options', 'trace']

const ALL = operationsOf(OPENAPI_DOCUMENTS)
const isOfApi = ({ path }: Operation) => path.startsWith('/api/')

/** Every operation of both APIs. */
export const OPERATIONS = ALL.filter(isOfApi)

/** Those of the addresses of webhooks, which take no key. */
export const WEBHOOK_OPERATIONS = ALL.filter((one) => !isOfApi(one))

/** Those of release 1.0. */
export const OPERATIONS_1_0 = operationsOf(EARLIER_DOCUMENTS)

function operationsOf(documents: Record<string, object>): Operation[] {
  return Object.values(documents).flatMap((document: Json) =>
    Object.entries(document.paths as Json).flatMap(([path, item]) =>
      METHODS.filter((method) => Object.hasOwn(item as object, method)).map((method) => ({
        method: method.toUpperCase(),
        path,
        operation: (item as Json)[method],
        document,
      })),
    ),
  )
}

/** A route's path as OpenAPI writes it. */
export function templateOf(path: string): string {
  return path.replace(/:(\w+)(\{[^}]*\})?/g, '{$1}')
}

export function operationAt(method: string, path: string, among = OPERATIONS): Operation {
  const found = among.find((one) => one.method === method && one.path === templateOf(path))
  if (!found) throw new Error(`${method} ${path} is not documented`)
  return found
}

/** What a reference refers to; anything else as it is. */
export function resolve(document: Json, part: Json): Json {
  if (typeof part?.$ref !== 'string') return part
  const steps = part.$ref.slice(2).split('/')
  return resolve(
    document,
    steps.reduce((value: Json, step: string) => value[step], document),
  )
}

/** The documented response of a status; undefined where there is none. */
export function responseOf({ operation, document }: Operation, status: number | string): Json {
  return resolve(document, operation.responses[String(status)])
}

/** Whether a value is as a schema of the document says, objects being as open as they are there. */
export function validatorOf(document: Json, schema: Json): { validate: (value: Json) => boolean } {
  const { schemas } = document.components
  const validator = new Validator({ ...schema, components: { schemas } } as Schema, '2020-12')
  return { validate: (value) => validator.validate(value).valid }
}

/**
 * What is wrong with the value by a schema of the document, as text. A field that the schema does
 * not name is wrong here, although the document leaves its objects open.
 */
export function faultsOf(document: Json, schema: Json, value: unknown): string[] {
  const { schemas } = document.components
  const whole = { ...closed(schema), components: { schemas: closed(schemas) } }
  const { errors } = new Validator(whole as Schema, '2020-12', false).validate(value)
  return errors.map(({ instanceLocation, error }) => `${instanceLocation}: ${error}`)
}

function closed(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(closed)
  if (typeof schema !== 'object' || schema === null) return schema
  const members = Object.entries(schema).map(([key, value]) => [key, closed(value)])
  const copy = Object.fromEntries(members)
  const isOpen = copy.type !== undefined && copy.properties && !('additionalProperties' in copy)
  return isOpen ? { ...copy, additionalProperties: false } : copy
}
