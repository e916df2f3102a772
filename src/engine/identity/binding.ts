/** The binding of a tenant's database; null if there is none. Nothing else maps a tenant to a database. */
export function bindingOf(env: object, tenant: string): D1Database | null {
  const binding: unknown = Reflect.get(env, bindingNameOf(tenant))
  return isD1(binding) ? binding : null
}

/** `DB_ACME_NORTH` for `acme-north`. */
export function bindingNameOf(tenant: string): string {
  return variableNameOf('DB', tenant)
}

/** What the environment calls something of a tenant: `ACCESS_AUD_ACME_NORTH`. */
export function variableNameOf(prefix: string, tenant: string): string {
  return `${prefix}_${tenant.toUpperCase().replaceAll('-', '_')}`
}

/** `acme-north` for `DB_ACME_NORTH`; null for a name that is not a tenant's binding. */
export function tenantOfBinding(name: string): string | null {
  return /^DB_[A-Z0-9_]+$/.test(name)
    ? name.slice('DB_'.length).toLowerCase().replaceAll('_', '-')
    : null
}

export interface BoundTenant {
  tenant: string
  binding: D1Database
}

/** Every tenant whose database is bound, in the order of the bindings' names. */
export function boundTenants(env: object): BoundTenant[] {
  const names = Object.keys(env).toSorted()
  return names.flatMap((name) => {
    const tenant = tenantOfBinding(name)
    const binding = tenant && bindingOf(env, tenant)
    return tenant && binding ? [{ tenant, binding }] : []
  })
}

function isD1(binding: unknown): binding is D1Database {
  return typeof binding === 'object' && binding !== null && 'prepare' in binding
}
