import type { Cloudflare } from './cloudflare.ts'

// biome-ignore lint/suspicious/noExplicitAny: an answer is whatever came over the wire
type Json = any

export interface Api {
  call: (method: string, path: string, body?: object) => Promise<{ status: number; body: Json }>
  /** The answer's data; throws where there is none. */
  data: (method: string, path: string, body?: object) => Promise<Json>
}

/** A client of one key at a deployed tenant's host; settings are told apart by their paths. */
export function clientOf({ fetch }: Cloudflare, origin: string, key: string): Api {
  const call: Api['call'] = async (method, path, body) => {
    const area = /^\/(?:api-keys|partners|workspace|audit-log)\//.test(path)
      ? 'settings'
      : 'integrations'
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
      const answer = await call(method, path, body)
      if (!answer.body.success) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`)
      return answer.body.data
    },
  }
}
