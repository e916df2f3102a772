/** In an answer: the host is that of a tenant which this Worker does not have. The router reads it (router/lead.ts). */
export const NO_TENANT_HEADER = 'X-No-Tenant'

/** The tenant of a host `<tenant>.<domain>`, whether it exists or not. Null for any other host, and without a domain. */
export function tenantOfHostname(hostname: string, domain: string | undefined): string | null {
  const end = `.${domain}`.toLowerCase()
  return domain && hostname.endsWith(end) ? hostname.slice(0, -end.length) : null
}
