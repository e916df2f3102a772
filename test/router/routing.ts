import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { vi } from 'vitest'
import { bindingNameOf } from '../../src/engine/identity/binding.ts'
import worker from '../../src/index.ts'
import { lookAtResponse } from '../fixtures/secrets/answer.ts'
import { outgoing } from '../fixtures/secrets/outgoing.ts'
import type { Answer, Json } from '../fixtures/tenant.ts'

const DOMAIN = 'example.com'
const TENANTS = ['demo', 'other']

type Get = (tenant: string) => Promise<string | null>
type Fetch = (request: Request) => Response | Promise<Response>

export interface RouterOptions {
  /** The tenants of each group; by default each has one. */
  tenants?: string[][]
  /** Instead of KV's read. */
  get?: Get
  /** Instead of the rate limiting binding's. */
  limit?: RateLimit['limit']
  /** Instead of a group's Worker, by its number. */
  groups?: Record<number, Fetch>
}

export interface Asked {
  method?: string
  key?: string
  body?: object
  /** Of the client. */
  address?: string
}

/** A router in an isolate of its own, before the app as the Worker of two groups. */
export async function startRouter({
  tenants = [['demo'], ['other']],
  get,
  limit,
  groups = {},
}: RouterOptions = {}) {
  vi.resetModules()
  const router = ((await import('../../src/router/index.ts')) as Json).default
  /** What has left the router: tenants looked up, groups asked. */
  const calls = { looked_up: [] as string[], asked: [] as number[] }
  const bindings: Record<string, unknown> = {
    BASE_DOMAIN: DOMAIN,
    FAILED_LOOKUPS: limit ? { limit } : env.FAILED_LOOKUPS,
    GROUPS: {
      get: (tenant: string) => {
        calls.looked_up.push(tenant)
        return get ? get(tenant) : env.KEYS.get(tenant)
      },
    },
  }
  for (const [index, those] of tenants.entries()) {
    const number = index + 1
    const served = groups[number] ?? groupOf(those)
    const fetch: Fetch = (request) => {
      calls.asked.push(number)
      return served(request)
    }
    bindings[`GROUP_${number}`] = { fetch }
  }
  const visit = async (origin: string, path: string, asked: Asked = {}): Promise<Answer> => {
    const { method = 'GET', key, body, address } = asked
    const headers = {
      ...(key && { 'X-API-Key': key }),
      ...(address && { 'CF-Connecting-IP': address }),
      ...(body && { 'Content-Type': 'application/json' }),
    }
    const sent = { method, headers, ...(body && { body: JSON.stringify(body) }) }
    const response: Response = await router.fetch(new Request(origin + path, sent), bindings)
    await lookAtResponse(outgoing, method, origin + path, response)
    const text = await response.text()
    const isJson = /json/.test(response.headers.get('Content-Type') ?? '')
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson ? JSON.parse(text) : null,
    }
  }
  return {
    calls,
    visit,
    ask: (tenant: string, path: string, asked?: Asked) => visit(originOf(tenant), path, asked),
  }
}

export const originOf = (tenant: string) => `https://${tenant}.${DOMAIN}`

/** The Worker of a group that has these tenants of the two there are. */
export function groupOf(tenants: string[]): Fetch {
  const absent = TENANTS.filter((tenant) => !tenants.includes(tenant)).map(bindingNameOf)
  const bound = Object.entries(env).filter(([name]) => !absent.includes(name))
  const bindings = { ...Object.fromEntries(bound), BASE_DOMAIN: DOMAIN }
  return async (request) => {
    const context = createExecutionContext()
    const answer = await worker.fetch(request as Json, bindings as Json, context)
    await waitOnExecutionContext(context)
    return answer
  }
}

/** Writes the entries of the tenants as `create` does. */
export async function settle(numbers: Record<string, string>): Promise<void> {
  for (const [tenant, number] of Object.entries(numbers)) await env.KEYS.put(tenant, number)
}
