import type { Demo } from './demo.ts'

/** Calls the local API with one of the demo's keys; paths are relative to `/api/`. */
export type Call = (method: string, path: string, body?: object) => Promise<Response>

/** The API did not take what a start sends; the message says which and why. */
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

/** The answer's `data`, whatever it is; throws Refused. */
export async function send(call: Call, method: string, path: string, body?: object) {
  const answer = await call(method, path, body)
  if (!answer.ok) throw await refusalOf(answer, method, path)
  const { data } = (await answer.json()) as { data: unknown }
  return data
}

export async function refusalOf(answer: Response, method: string, path: string): Promise<Refused> {
  return new Refused(`${method} ${path} was answered ${answer.status}: ${await answer.text()}`)
}
