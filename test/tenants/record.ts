import type { Call, Endpoint } from './call.ts'

export interface RecordedCall {
  /** Such as `d1.create`; see `kinds` of the endpoints. */
  kind: string
  method: string
  /** The path's template, such as `/accounts/:account/d1/database`. */
  path: string
  params: Record<string, string>
  query: Record<string, string>
  /** JSON as its value; a form as its fields, JSON in them as its value; else text. */
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

async function bodyOf({ headers, body }: Call): Promise<unknown> {
  if (body.length === 0) return null
  const type = headers.get('content-type') ?? ''
  if (!type.startsWith('multipart/form-data')) return fieldOf(body.toString('utf8'))
  const form = await new Response(body, { headers: { 'content-type': type } }).formData()
  const fields = await Promise.all(
    [...form].map(async ([name, value]) => [
      name,
      fieldOf(typeof value === 'string' ? value : await value.text()),
    ]),
  )
  return Object.fromEntries(fields)
}

function fieldOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
