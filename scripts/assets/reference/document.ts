import { OPENAPI_DOCUMENTS } from '../../../src/openapi/documents.ts'

/** A JSON schema as our documents have it. */
export interface Schema {
  $ref?: string
  type?: string | string[]
  description?: string
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  additionalProperties?: boolean | Schema
  anyOf?: Schema[]
  enum?: unknown[]
  const?: unknown
  default?: unknown
  format?: string
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  minimum?: number
  maximum?: number
  exclusiveMaximum?: number
  maxProperties?: number
}

export interface Parameter {
  $ref?: string
  name: string
  in: 'path' | 'query' | 'header'
  required?: boolean
  description?: string
  schema: Schema
  /** By tag: what an operation with this tag may be sent. */
  examples?: Record<string, { value: string }>
}

interface Header {
  description: string
  required?: boolean
}

interface Content {
  'application/json': {
    schema: Schema
    example?: unknown
    /** Of an error: by code. */
    examples?: Record<string, { value: ErrorBody }>
  }
}

interface ErrorBody {
  error: { message: string }
}

export interface Response {
  $ref?: string
  description: string
  headers?: Record<string, { $ref: string }>
  content: Content
}

export interface Operation {
  tags: [string]
  summary: string
  description: string
  parameters?: Parameter[]
  /** Empty: no key is needed. */
  security?: object[]
  requestBody?: { required: boolean; content: Content }
  responses: Record<string, Response>
}

export interface OpenApi {
  info: { title: string; description: string }
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, Operation>>
  components: {
    responses: Record<string, Response>
    headers: Record<string, Header>
    schemas: Record<string, Schema>
  }
}

/** A document, with the path that it is served at and the name that its anchors begin with. */
export interface Documented {
  area: string
  path: string
  document: OpenApi
}

export const ALL: Documented[] = Object.entries(OPENAPI_DOCUMENTS).map(([path, document]) => ({
  area: path.split('/')[2] ?? '',
  path,
  document: document as OpenApi,
}))

/** What a reference refers to, with what stands beside the reference; anything else as it is. */
export function resolved<Part extends { $ref?: string }>(document: OpenApi, part: Part): Part {
  const { $ref, ...beside } = part
  if ($ref === undefined) return part
  const found = $ref
    .slice('#/'.length)
    .split('/')
    .reduce<unknown>((value, step) => (value as Record<string, unknown>)[step], document)
  return resolved(document, { ...(found as Part), ...beside })
}

/** The last part of a reference: the name of what it refers to. */
export function nameOf({ $ref }: { $ref?: string }): string | undefined {
  return $ref?.split('/').at(-1)
}

/** The bodies of an error, by code. */
export function examplesOf({ content }: Response): [string, ErrorBody][] {
  const { examples = {} } = content['application/json']
  return Object.entries(examples).map(([code, { value }]) => [code, value])
}
