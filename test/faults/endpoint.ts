import { env } from 'cloudflare:workers'
import { newAddress } from '../fixtures/address.ts'
import { type Endpoint, requestOf } from '../fixtures/endpoints.ts'
import { client, createKey, openAdmin } from '../fixtures/tenant.ts'
import type { Subject } from './trial.ts'

const RATE_LIMIT = 30_000

/** The endpoint, and a dry run of it if it writes. */
export function endpointSubjects(endpoint: Endpoint): Subject[] {
  const real = endpointSubject(endpoint, '')
  return endpoint.method === 'GET' ? [real] : [real, endpointSubject(endpoint, '?dry_run=true')]
}

/** An endpoint, asked with a key that has a rate limit, so that the Durable Object is called. */
function endpointSubject(endpoint: Endpoint, query: string): Subject {
  return {
    name: `${endpoint.method} ${endpoint.path}${query}`,
    async prepare() {
      const [method, path, body] = await requestOf(endpoint, await openAdmin())
      const { id, value } = await createKey(['integrations.*', 'settings.*'])
      const limit = env.DB_DEMO.prepare('update api_keys set rate_limit = ? where id = ?')
      await limit.bind(RATE_LIMIT, id).run()
      const headers = { 'CF-Connecting-IP': newAddress() }
      return (bindings) => client(value).call(method, path + query, body, { bindings, headers })
    },
  }
}
