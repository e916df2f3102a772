import type { Cloudflare } from './cloudflare.ts'

// biome-ignore lint/suspicious/noExplicitAny: an answer is whatever came over the wire
type Json = any

export interface Visitor {
  /** `path` is below the API's version; what is settings is told by it. */
  call: (method: string, path: string, body?: object) => Promise<{ status: number; body: Json }>
  /** The answer's data; throws where it is no success. */
  data: (method: string, path: string, body?: object) => Promise<Json>
}

/** Who comes to a deployed tenant's host with a key. */
export function visitor({ fetch }: Cloudflare, origin: string, key: string): Visitor {
  const call: Visitor['call'] = async (method, path, body) => {
    const area = /^\/(?:api-keys|audit-log|partners)\//.test(path) ? 'settings' : 'integrations'
    const answer = await fetch(`${origin}/api/${area}/v1${path}`, {
      method,
      headers: { 'X-API-Key': key, 'Content-Type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    return { status: answer.status, body: await answer.json() }
  }
  return {
    call,
    data: async (method, path, body) => {
      const { status, body: answer } = await call(method, path, body)
      if (!answer.success) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(answer)}`)
      return answer.data
    },
  }
}

/** A new order of one line. */
export function order({ data }: Visitor, order_number: string): Promise<Json> {
  return data('POST', '/orders/', { order_number, items: [{ sku_code: 'SKU-1', quantity: 1 }] })
}
