import * as z from 'zod'
import type { ZodOpenApiOperationObject } from 'zod-openapi'
import { NoFields } from '../fields.ts'
import { encodeCursor, LIMIT_DEFAULT } from '../pagination.ts'
import type { Scope } from '../scopes.ts'
import { innermost } from '../shape.ts'
import { type Area, headersOf, Pagination, Warning } from './components.ts'
import { type ErrorExamples, errorResponses, wrong } from './errors.ts'

const PAGE = ['limit', 'cursor']
const CURSOR = { tenant: 'demo', seq: 1704 }

/** An endpoint as its author tells it; what follows from that is added by `endpoint`. */
export interface Telling<Body extends z.ZodType, Data extends z.ZodType> {
  method: 'get' | 'post' | 'put' | 'delete'
  /** Below the area's base; `{identifier}` names a path parameter. */
  path: string
  operationId: string
  scope: Scope
  summary: string
  description: string
  query?: z.ZodType
  /** `example` is for a pass-through key. NoFields: a body is read, and whatever it says is unused. */
  body?: { schema: Body; example: z.input<Body>; isOptional?: boolean }
  isMapped?: boolean
  answer: {
    status?: 201
    description: string
    data: Data
    example: z.output<Data>
    isPage?: boolean
  }
  /** The errors that are its own, or for which it has a better example. */
  refuses?: ErrorExamples
}

export interface Endpoint {
  method: string
  path: string
  operation: ZodOpenApiOperationObject
}

export function endpoint<Body extends z.ZodType, Data extends z.ZodType>(
  area: Area,
  tag: string,
  telling: Telling<Body, Data>,
): Endpoint {
  const { method, path, operationId, scope, summary, description, body, isMapped } = telling
  const fallible = {
    area,
    takesBody: body !== undefined,
    isMapped: isMapped ?? false,
    refuses: { ...unreadable(telling), ...telling.refuses },
  }
  const operation: ZodOpenApiOperationObject = {
    operationId,
    tags: [tag],
    summary,
    description: `${description}\n\nScope: \`${scope}\`.`,
    'x-required-scope': scope,
    ...parametersOf(telling),
    ...(body && !isUnused(body.schema) && { requestBody: requestBodyOf(body) }),
    responses: { ...successOf(area, telling), ...errorResponses(fallible) },
  }
  return { method, path, operation }
}

/** What is refused of any body, and of any query, before it is looked at more closely. */
function unreadable<Body extends z.ZodType, Data extends z.ZodType>({
  body,
  query,
}: Telling<Body, Data>): ErrorExamples {
  if (body) return { VALIDATION_ERROR: { message: 'The body must be a JSON object.' } }
  if (!query) return {}
  return { VALIDATION_ERROR: wrong('limit', 'Must be an integer from 1 to 200.') }
}

function isUnused(schema: z.ZodType): boolean {
  return schema === NoFields
}

function requestBodyOf<Body extends z.ZodType>({
  schema,
  example,
  isOptional,
}: NonNullable<Telling<Body, z.ZodType>['body']>) {
  return {
    required: !isOptional,
    content: { 'application/json': { schema, example } },
  }
}

function successOf<Body extends z.ZodType, Data extends z.ZodType>(
  area: Area,
  { path, query, body, answer }: Telling<Body, Data>,
) {
  const { status = 200, description, data, example, isPage = false } = answer
  const mayWarn = body !== undefined || query !== undefined
  const schema = z.object({
    success: z.literal(true),
    data,
    ...(isPage && { pagination: Pagination }),
    ...(mayWarn && { warnings: z.array(Warning).optional() }),
  })
  const value = {
    success: true,
    data: example,
    ...(isPage && {
      pagination: { limit: LIMIT_DEFAULT, next_cursor: encodeCursor(path.slice(1, -1), CURSOR) },
    }),
  }
  return {
    [`${status}` as const]: {
      description,
      headers: headersOf(area, status),
      content: { 'application/json': { schema, example: value } },
    },
  }
}

/** Those of the path and those of a page are written once and referred to. */
function parametersOf<Body extends z.ZodType, Data extends z.ZodType>({
  path,
  query,
}: Telling<Body, Data>) {
  const asked = Object.entries(query ? shapeOf(query) : {})
  const own = asked.filter(([name]) => !PAGE.includes(name))
  const names = [
    ...Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => name),
    ...asked.map(([name]) => name).filter((name) => PAGE.includes(name)),
  ]
  const parameters = names.map((name) => ({ $ref: `#/components/parameters/${name}` }))
  return {
    ...(parameters.length > 0 && { parameters }),
    ...(own.length > 0 && { requestParams: { query: z.object(Object.fromEntries(own)) } }),
  }
}

function shapeOf(query: z.ZodType): Record<string, z.core.$ZodType> {
  const inner = innermost(query)
  if (!(inner instanceof z.ZodObject)) throw new Error('A query is an object of parameters.')
  return inner.shape
}
