import { type Call, type Endpoint, formOf } from './call.ts'

export interface RecordedCall {
  /** Such as `d1.create`; see `kinds` of the endpoints. */
  kind: string
  method: string
  /** The path's template, such as `/accounts/:account/d1/database`. */
  path: string
  params: Record<string, string>
  query: Record<string, string>
  /** JSON as its value; a form as its fields, of files their type and size; else text. */
  body: unknown
  /** Null while there is no answer, and when the connection was cut. */
  status: number | null
}

export async function recordOf(endpoint: Endpoint, call: Call): Promise<RecordedCall> {
  const { kinds, method, path } = endpoint
  const [kind = ''] = kinds
  const { params, query } = call
  const body = await bodyOf(call)
  return { kind, method, path, params, query: Object.fromEntries(query), body, status: null }
}

async function bodyOf(call: Call): Promise<unknown> {
  if (call.body.length === 0) return null
  const type = call.headers.get('content-type') ?? ''
  if (!type.startsWith('multipart/form-data')) return fieldOf(call.body.toString('utf8'))
  const fields = [...(await formOf(call))].map(([name, value]) => [
    name,
    typeof value === 'string' ? fieldOf(value) : { type: value.type, size: value.size },
  ])
  return Object.fromEntries(fields)
}

function fieldOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
