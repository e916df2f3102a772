import * as z from 'zod'
import type { ZodOpenApiOperationObject } from 'zod-openapi'
import { api } from '../api.ts'
import { csvLine } from '../engine/answers/csv.ts'
import { recordLine } from '../engine/answers/export.ts'
import { type Contract, statedBy } from '../engine/exchange/contract.ts'
import { NoFields } from '../engine/json/fields.ts'
import { encodeCursor, LIMIT_DEFAULT } from '../engine/json/pagination.ts'
import { membersOf } from '../engine/json/shape.ts'
import { NOT_TAGS } from '../middleware/conditions.ts'
import { NO_BOOKMARK } from '../middleware/near-reads.ts'
import { encodeFeedCursor } from '../records/changes/cursor.ts'
import {
  type ApiArea,
  CSV_HEADERS_ADDED,
  DRY_RUN_ADDED,
  DryRunMark,
  ETAG_ADDED,
  EXPORT_HEADERS_ADDED,
  FeedPagination,
  HistoryPagination,
  headersOf,
  Pagination,
  READ_AFTER_ADDED,
  SearchPagination,
  ShownWarning,
} from './components.ts'
import { type ErrorExamples, errorResponses, wrong } from './errors.ts'
import { SEVERAL_RECORDS } from './several-records.ts'

// By method and path as OpenAPI writes it: `GET /api/integrations/v1/orders/{identifier}/`.
const contracts = new Map<string, Contract>()
for (const { method, path, handler } of api.routes) {
  const endpoint = `${method} ${path.replace(/:(\w+)(?:\{[^}]*\})?/g, '{$1}')}`
  contracts.set(endpoint, { ...contracts.get(endpoint), ...statedBy(handler) })
}

/** What the route of the endpoint with this method and path says. Throws if there is none, or if it requires no scope. */
function contractOf(name: string): Contract & Required<Pick<Contract, 'scope'>> {
  const { scope, ...contract } = contracts.get(name) ?? {}
  if (!scope) throw new Error(`No route ${name} requires a scope.`)
  return { scope, ...contract }
}

const SHAPED =
  " With an outbound mapping of the key's partner, records have the partner's fields instead of these."
const PAGE = ['limit', 'cursor']
/** What the description of a list says, if the list may be an export. */
export const EXPORT =
  "\n\n`Accept: text/csv` or `Accept: application/x-ndjson` returns the whole list instead of a page, with the same filters. CSV (RFC 4180, UTF-8) has all our fields of each record, with their names in the first line, and objects and lists as JSON text. NDJSON has a record in each line, in the shape of the partner's outbound mapping. `limit`, `cursor` and parameters without effect are 400 then, because an export has neither pages nor warnings. If it fails after it has begun, the connection breaks off: only a response that ends properly is the whole list. Any other `Accept` returns JSON."
const FEED_CURSOR = encodeFeedCursor({
  walk: { tenant: 'demo', resources: ['inventory'], isNamed: true, owner: '-' },
  epoch: 1,
  place: 6818,
  seq: 42,
  slice: 0,
  rest: null,
})
const CURSOR = { tenant: 'demo', seq: 1704 }

/** What pages of lists say beside their records: the schema, and what the example has of it. */
const PAGES = {
  plain: { schema: Pagination, more: {} },
  /** May end before it is full, when many rows have been compared. */
  search: { schema: SearchPagination, more: { searched_to: null } },
  /** Says how far back the list is complete. */
  history: { schema: HistoryPagination, more: { complete_since: '2026-11-14T12:07:50.269Z' } },
  /** Of the feed of changes, which never ends. */
  feed: { schema: FeedPagination, more: { next_cursor: FEED_CURSOR, has_more: false } },
}

/**
 * An endpoint as its author describes it. Its route says the rest (engine/exchange/contract.ts): the scope, parameters of the
 * query, the schema of the body, whether that is optional, and whether it is mapped or changes a record on a condition. With a
 * `cursor` in its query it answers pages.
 */
export interface EndpointSpec<Data extends z.ZodType> {
  operationId: string
  summary: string
  description: string
  /** `example` is for a key without a partner. The route's schema, unless that depends on the path or says too little. */
  body?: {
    example: object
    schema?: z.ZodType
    /** The same as a file. */
    csv?: string
  }
  answer: {
    status?: 201
    description: string
    data: Data
    example: z.output<Data>
    /** The records have the shape of the partner's outbound mapping, if there is one. */
    isShaped?: boolean
    /** Of a list whose pages say more than those of others. */
    page?: keyof typeof PAGES
    /** With `format=csv` it is text/csv, such as this. */
    csv?: string
    /** With `Accept: text/csv` it is the whole list, such as this. */
    file?: string
    /** With `Accept` it is the whole list: as CSV with these columns, such as of these whole records, or as NDJSON. */
    exported?: { columns: readonly string[]; records: object[] }
  }
  /** A mapping may make several records of the body. They are answered with 200 and the result of each. */
  hasRecords?: boolean
  /** The endpoint's own errors, and better examples of shared ones. */
  errors?: ErrorExamples
}

interface Located {
  method: string
  path: string
}

export interface Endpoint extends Located {
  operation: ZodOpenApiOperationObject
}

/** The answer of a list, with one record in its example. */
export function pageOf<Data extends z.ZodType>(
  what: string,
  data: Data,
  example: NoInfer<z.output<Data>>,
) {
  return { description: `A page of ${what}.`, data: z.array(data), example: [example] }
}

/** The endpoints of a tag, by name. */
export function endpoints<Data extends Record<string, z.ZodType>>(
  area: ApiArea,
  tag: string,
  specs: { [Name in keyof Data]: EndpointSpec<Data[Name]> },
): Endpoint[] {
  return Object.entries(specs).map(([name, spec]) => endpoint(area, tag, name, spec))
}

/** `name` is its method and its path below that of the area; `{identifier}` names a parameter: `GET /orders/{identifier}/`. */
export function endpoint<Data extends z.ZodType>(
  area: ApiArea,
  tag: string,
  name: string,
  spec: EndpointSpec<Data>,
): Endpoint {
  const { operationId, summary, description, answer } = spec
  const [verb = '', path = ''] = name.split(' ')
  const method = verb.toLowerCase()
  const located = { ...spec, method, path }
  const stated = contractOf(`${verb} /api/${area}/v1${path}`)
  const { scope, condition } = stated
  const operation: ZodOpenApiOperationObject = {
    operationId,
    tags: [tag],
    summary,
    description: `${description}${answer.exported ? EXPORT : ''}${answer.page === 'feed' ? '' : `\n\nScope: \`${scope}\`.`}`,
    'x-required-scope': scope,
    ...parametersOf(located, stated),
    ...requestBodyOf(spec, stated),
    responses: {
      ...successOf(area, located, stated),
      ...(spec.hasRecords && successOf(area, { ...located, answer: SEVERAL_RECORDS }, stated)),
      ...(condition === 'If-None-Match' && unchangedOf(area)),
      ...errorResponses(area, stated, { ...unreadable(stated), ...spec.errors }),
    },
  }
  return { method, path, operation }
}

function unchangedOf(area: ApiArea) {
  const headers = { ...headersOf(area, 304), ...ETAG_ADDED }
  return { '304': { description: 'The record is as `If-None-Match` names it.', headers } }
}

/** The error of every endpoint with a body or query that cannot be read. */
function unreadable({ body, query, condition }: Contract): ErrorExamples {
  if (body !== undefined)
    return { VALIDATION_ERROR: { message: 'The body must be a JSON object.' } }
  if (condition) return { VALIDATION_ERROR: wrong('If-None-Match', NOT_TAGS) }
  if (membersIn(query).length === 0) {
    return { VALIDATION_ERROR: wrong('X-Read-After', NO_BOOKMARK) }
  }
  return { VALIDATION_ERROR: wrong('limit', 'Must be an integer from 1 to 200.') }
}

/** With NoFields a body is read, but has no effect. Without a body, a request counts as one with `{}`. */
function requestBodyOf({ operationId, body }: EndpointSpec<z.ZodType>, stated: Contract) {
  const schema = body?.schema ?? stated.body
  if (schema === undefined || schema === NoFields) return {}
  if (!schema || !body) throw new Error(`Describe the body of ${operationId}: its route takes one.`)
  const content = {
    'application/json': { schema, example: body.example },
    ...(body.csv && { 'text/csv': asText(body.csv) }),
  }
  return { requestBody: { required: !schema.safeParse({}).success, content } }
}

function membersIn(query: z.ZodType | undefined) {
  return Object.entries(query ? membersOf(query) : {})
}

function successOf<Data extends z.ZodType>(
  area: ApiArea,
  { path, answer, method }: EndpointSpec<Data> & Located,
  { condition, query }: Contract,
) {
  const { status = 200, data, example, csv, file, exported } = answer
  const description = answer.description + (answer.isShaped ? SHAPED : '')
  const isPage = membersIn(query).some(([name]) => name === 'cursor')
  const page = PAGES[answer.page ?? 'plain']
  // A route with a condition is about one record, and 201 answers a new one. Lists have no ETag.
  const hasETag = (condition !== undefined || status === 201) && method !== 'delete'
  const schema = z.object({
    success: z.literal(true),
    ...(method !== 'get' && { dry_run: DryRunMark }),
    data,
    ...(isPage && { pagination: page.schema }),
    warnings: z.array(ShownWarning).optional(),
  })
  const value = {
    success: true,
    data: example,
    ...(isPage && {
      pagination: {
        limit: LIMIT_DEFAULT,
        next_cursor: encodeCursor(path.slice(1, -1), CURSOR),
        ...page.more,
      },
    }),
  }
  return {
    [`${status}` as const]: {
      description,
      headers: {
        ...headersOf(area, status),
        ...(csv && CSV_HEADERS_ADDED),
        ...((exported || file) && EXPORT_HEADERS_ADDED),
        ...(hasETag && ETAG_ADDED),
        ...(method !== 'get' && { ...DRY_RUN_ADDED, ...READ_AFTER_ADDED }),
      },
      content: {
        'application/json': { schema, example: value },
        ...(csv && { 'text/csv': asText(csv) }),
        ...(file && { 'text/csv': asText(file) }),
        ...(exported && exportsOf(exported, example as object[])),
      },
    },
  }
}

/** The contents of an export, by type: whole records as CSV, and those of the list as NDJSON. */
function exportsOf(
  { columns, records }: { columns: readonly string[]; records: object[] },
  listed: object[],
) {
  const lines = records.map((record) => recordLine(columns, record, { isGuarded: false }))
  return {
    'text/csv': asText(csvLine(columns) + lines.join('')),
    'application/x-ndjson': asText(listed.map((record) => `${JSON.stringify(record)}\n`).join('')),
  }
}

function asText(example: string) {
  return { schema: { type: 'string' as const }, example }
}

/** Parameters of paths and pages are references: the components hold them once. */
function parametersOf(
  { method, path, answer }: EndpointSpec<z.ZodType> & Located,
  stated: Contract,
) {
  const asked = membersIn(stated.query)
  const own = asked.filter(([name]) => !PAGE.includes(name))
  const names = [
    ...Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => name),
    ...asked.map(([name]) => name).filter((name) => PAGE.includes(name)),
  ]
  const componentOf = (name: string | undefined) => {
    if (answer.csv && name === 'limit') return 'csvLimit'
    return answer.page === 'feed' && name === 'cursor' ? 'feedCursor' : name
  }
  const conditions = { 'If-Match': 'ifMatch', 'If-None-Match': 'ifNoneMatch' }
  const parameters = [
    ...names.map(componentOf),
    ...(stated.condition ? [conditions[stated.condition]] : []),
    method === 'get' ? 'readAfter' : 'dryRun',
  ].map((name) => ({ $ref: `#/components/parameters/${name}` }))
  return {
    ...(parameters.length > 0 && { parameters }),
    ...(own.length > 0 && { requestParams: { query: z.object(Object.fromEntries(own)) } }),
  }
}
