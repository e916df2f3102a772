import type { Demo } from './demo.ts'

/** Calls the local API with one of the demo's keys; paths are relative to `/api/`. */
export type Call = (method: string, path: string, body?: object) => Promise<Response>

/** The API refused a request of the start. The message names the request and the answer. */
export class Refused extends Error {}

export function clientOf({ base_url }: Demo, key: string, life: AbortSignal): Call {
  return (method, path, body) =>
    fetch(`${base_url}/api/${path}`, {
      method,
      signal: life,
      headers: { 'X-API-Key': key, 'Content-Type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
}

/** Sends a request and returns the answer's `data`. Throws Refused unless the answer is 2xx. */
export async function send(call: Call, method: string, path: string, body?: object) {
  const answer = await call(method, path, body)
  if (!answer.ok) throw await refusalOf(answer, method, path)
  const { data } = (await answer.json()) as { data: unknown }
  return data
}

export async function refusalOf(answer: Response, method: string, path: string): Promise<Refused> {
  return new Refused(`${method} ${path} was answered ${answer.status}: ${await answer.text()}`)
}
