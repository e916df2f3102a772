import type * as z from 'zod'

/** What the API says no with, as `{"success": false, "errors": [{"code", "message"}]}`. */
export class Refusal extends Error {
  readonly status: number
  readonly code: number
  readonly headers: Record<string, string>

  constructor(status: number, code: number, message: string, headers: Record<string, string> = {}) {
    super(message)
    this.status = status
    this.code = code
    this.headers = headers
  }
}

/** Something that no wrangler should send, or that is not understood here: it fails the test. */
export class Misunderstood extends Refusal {
  constructor(message: string) {
    super(400, 7400, `The request is malformed: ${message}`)
  }
}

export interface Call {
  /** Values of the path's `:parameters`, decoded. */
  params: Record<string, string>
  query: URLSearchParams
  headers: Headers
  body: Buffer
}

export interface Endpoint {
  /** `d1.create`; several where one address does several things, told apart by kindOf. */
  kinds: [string, ...string[]]
  kindOf?: (call: Call) => string
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Below /client/v4; the whole of it when it is signed. */
  path: string
  /** The permission is in the address or in a token of its own. */
  signed?: boolean
  handle: (call: Call) => Response | Promise<Response>
}

/** One that does one thing, which its kind names. */
export function endpoint(
  kind: string,
  method: Endpoint['method'],
  path: string,
  handle: Endpoint['handle'],
): Endpoint {
  return { kinds: [kind], method, path, handle }
}

export function success(result: unknown, info?: object): Response {
  const more = info ? { result_info: info } : {}
  return Response.json({ success: true, errors: [], messages: [], result, ...more })
}

export function failure({ status, code, message, headers }: Refusal): Response {
  const body = { success: false, errors: [{ code, message }], messages: [], result: null }
  return Response.json(body, { status, headers })
}

/** The body as JSON of that shape and nothing else. */
export function jsonOf<T>(
  call: Call,
  schema: z.ZodType<T>,
  wanted: 'application/json' | 'application/merge-patch+json' = 'application/json',
): T {
  const type = call.headers.get('content-type') ?? 'none'
  if (!type.startsWith(wanted)) {
    throw new Misunderstood(`JSON was expected, the content type is ${type}`)
  }
  return checked(parsed(call.body.toString('utf8')), schema)
}

export function formOf({ headers, body }: Call): Promise<FormData> {
  const type = headers.get('content-type') ?? 'none'
  if (!type.startsWith('multipart/form-data')) {
    throw new Misunderstood(`a form was expected, the content type is ${type}`)
  }
  return new Response(body, { headers: { 'content-type': type } }).formData()
}

export function checked<T>(value: unknown, schema: z.ZodType<T>): T {
  const { success: fits, data, error } = schema.safeParse(value)
  if (fits) return data
  const [issue] = error.issues
  throw new Misunderstood(`${issue?.path.join('.')}: ${issue?.message}`)
}

export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Misunderstood(`not JSON: ${text.slice(0, 80)}`)
  }
}

/** One page of a list, as `page` and `per_page` ask for it. */
export function pageOf(call: Call, all: unknown[]): Response {
  const page = Number(call.query.get('page') ?? 1)
  const perPage = Number(call.query.get('per_page') ?? 20)
  const rows = all.slice((page - 1) * perPage, page * perPage)
  return success(rows, { page, per_page: perPage, count: rows.length, total_count: all.length })
}
