/** What people do in a warehouse, as sets of scopes: what a page may do is decided by these. */
export const ROLES = {
  owner: ['integrations.*', 'settings.*'],
  // A webhook is a key: who connects systems makes both.
  manager: [
    'integrations.*',
    'settings.partners.*',
    'settings.keys.*',
    'settings.workspace.read',
    'settings.audit.read',
    'settings.documents.read',
    'settings.deliveries.write',
  ],
  operator: [
    'integrations.*',
    'settings.partners.read',
    'settings.audit.read',
    'settings.documents.read',
    'settings.deliveries.write',
  ],
  viewer: [
    'integrations.orders.read',
    'integrations.products.read',
    'integrations.locations.read',
    'integrations.inventory.read',
    'settings.read',
  ],
} as const satisfies Record<string, readonly string[]>

export type Role = keyof typeof ROLES

export const ROLE_NAMES = Object.keys(ROLES) as Role[]

/** The role with exactly these scopes; null if there is none: SQL of an operator has set them. */
export function roleOf(scopes: readonly string[]): Role | null {
  const text = [...scopes].toSorted().join()
  return ROLE_NAMES.find((role) => [...ROLES[role]].toSorted().join() === text) ?? null
}
