import { type Filters, filtersOf } from './filters.ts'
import { Chosen } from './matching.ts'
import type { Json, Key, Partner, Replaced, Request, State } from './state.ts'

/** What a write is known by: the record that its audit row names, and its request. */
export interface Made {
  id: string
  request_id: string
  /** As it was answered, or as its audit row has it: where the model cannot know. */
  status: number
  /** Of the audit row of a write that happened. */
  request?: Omit<Request, 'replaced' | 'source' | 'notes'>
  /** By then it has happened, in ms. */
  until?: number
}

/** One request, once the model has let it in and its body is in our words. */
export interface Context {
  state: State
  key: Key
  /** The key's, unless it has been deleted. */
  partner: Partner | null
  /** The identifier in the path. */
  at: string
  body: Json
  query: Query
  isWrite: boolean
  /** The value of the header with a condition. */
  condition?: string | undefined
  made: Made
}

export interface Query extends Filters {
  limit?: string | undefined
  by?: string | undefined
  /** The last record of the page before, by what its list knows it by. */
  after?: string | undefined
  /** The whole list is asked for. */
  isExport?: true | undefined
  /** The filters of that page, as `filtersOf` gives them. */
  of?: string | undefined
  /** What its cursor holds of the filters, and of whose orders it has. */
  digest?: string | undefined
  /** Of the audit log, as is `status`. */
  method?: string | undefined
}

export interface Refused {
  status: number
  code: string
  /** Of the record, as its ETag says. */
  version?: number
}

/** What an answer says, as its write or its read sees the database. */
export interface Told {
  data: unknown
  /** Of the record, for its ETag. */
  version?: number
  /** What its ETag names, if not its id. */
  of?: string
  etag?: { version: number; of: string; shape: Chosen }
  pagination?: { limit: number; next_cursor: Chosen | null; complete_since?: unknown }
}

export interface Done {
  status: 200 | 201
  state: State
  told: (state: State) => Told
  replaced?: Replaced | null
  /** Of an upload, for a dry run of it. */
  changes?: Json[]
  /** Of an upload, for its audit row. */
  upload?: { source: string; notes: string | null; total: number; created: number; failed: number }
}

export type Outcome = Refused | Done

export interface Operation {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** With `:at` for the identifier. */
  path: string
  scope: string
  /** Whose inbound mapping the body goes through, and whose outbound mapping the answer. */
  maps?: 'orders' | 'products' | 'locations' | 'inventory'
  isWrite: boolean
  /** Whether the body, in our words, says nothing that is refused by itself. */
  accepts?: (body: Json) => boolean
  act: (context: Context) => Outcome
}

/** It writes unless it is a GET or says otherwise. */
export function operation(
  method: Operation['method'],
  path: string,
  scope: string,
  rest: Pick<Operation, 'maps' | 'accepts' | 'act'> & { isWrite?: boolean },
): Operation {
  return { method, path, scope, isWrite: method !== 'GET', ...rest }
}

export const isDone = (outcome: Outcome): outcome is Done => 'told' in outcome
export const isRefused = (value: object): value is Refused => 'code' in value && 'status' in value

export const refused = (status: number, code: string): Refused => ({ status, code })
export const INVALID = refused(400, 'VALIDATION_ERROR')
export const NOT_FOUND = refused(404, 'NOT_FOUND')
export const DUPLICATE = refused(409, 'DUPLICATE')
export const SCOPE_MISSING = refused(403, 'SCOPE_MISSING')
export const CHANGED = refused(412, 'PRECONDITION_FAILED')
export const BROKEN_RULE = refused(400, 'SERVICE_ERROR')

export function shown(state: State, data: unknown): Done {
  return { status: 200, state, told: () => ({ data }) }
}

/** One record, with an ETag. */
export function tagged(
  status: 200 | 201,
  state: State,
  told: (state: State) => { data: object; version: number; of?: string },
): Done {
  return { status, state, told }
}

export function written(status: 200 | 201, state: State, told: (state: State) => unknown): Done {
  return { status, state, told: (later) => ({ data: told(later) }) }
}

/** When the request's write happened. */
export function instantOf({ request_id }: Made): Chosen {
  return new Chosen(`time of ${request_id}`)
}

/** A page of the records, newest first; `name` is what a cursor of the list stands for. */
export function page<Row>(
  { state, query }: Context,
  rows: Iterable<[name: string, row: Row]>,
  resource: string,
  show: (row: Row) => unknown,
  isListed: (row: Row) => boolean = () => true,
): Outcome {
  const limit = Number(query.limit ?? 50)
  if (!Number.isInteger(limit) || limit < 1 || limit > 200) return INVALID
  if (query.isExport && (query.limit ?? query.after) !== undefined) return INVALID
  if (query.after !== undefined && query.of !== filtersOf(query)) return INVALID
  const newest = [...rows].reverse()
  if (query.isExport) {
    const all = newest.filter(([, row]) => isListed(row)).map(([, row]) => show(row))
    return { status: 200, state, told: () => ({ data: all }) }
  }
  const start = newest.findIndex(([name]) => name === query.after) + 1
  const rest = newest.slice(start).filter(([, row]) => isListed(row))
  const listed = rest.slice(0, limit)
  const last = rest.length > limit ? listed.at(-1) : undefined
  const next_cursor = last ? new Chosen(`cursor of ${resource} at ${last[0]}`) : null
  const data = listed.map(([, row]) => show(row))
  return { status: 200, state, told: () => ({ data, pagination: { limit, next_cursor } }) }
}

/** The same for a list with filters. */
export function filteredPage<Row>(
  isTaken: boolean,
  ...[context, rows, resource, show, isListed]: Required<Parameters<typeof page<Row>>>
): Outcome {
  return isTaken ? page(context, rows, resource, show, isListed) : INVALID
}
