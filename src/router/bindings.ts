/** The router also has a service binding per group of tenants, `GROUP_<number>`. */
export interface RouterBindings {
  /** The number of each tenant's group, by the tenant's slug. */
  GROUPS: KVNamespace
  /** Counts look-ups of tenants that do not exist (router/groups.ts). The groups count unknown keys with it. */
  FAILED_LOOKUPS: RateLimit
  BASE_DOMAIN: string
}

export type WorkerGroup = Pick<Fetcher, 'fetch'>

/** The Worker of the group with that number; null if the router is not bound to one. */
export function groupNumbered(env: object, number: string): WorkerGroup | null {
  const binding: unknown = Reflect.get(env, `GROUP_${number}`)
  return isWorker(binding) ? binding : null
}

function isWorker(binding: unknown): binding is WorkerGroup {
  return typeof binding === 'object' && binding !== null && 'fetch' in binding
}
