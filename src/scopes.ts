/** Every scope there is: `<area>.<resource>.<action>` (spec 5.4) and `settings.<action>`. */
export const SCOPES = [
  'integrations.orders.read',
  'integrations.orders.write',
  'integrations.orders.delete',
  'integrations.products.read',
  'integrations.products.write',
  'integrations.products.delete',
  'integrations.locations.read',
  'integrations.locations.write',
  'integrations.locations.delete',
  'integrations.inventory.read',
  'integrations.inventory.write',
  'settings.read',
  'settings.write',
] as const

export type Scope = (typeof SCOPES)[number]

/**
 * Whether any of the granted scopes allows the needed one. A granted scope is exact, or ends in
 * `.*` and covers all below it; `write` does not imply `read`.
 */
export function covers(granted: readonly string[], needed: Scope): boolean {
  return granted.some(
    (scope) => scope === needed || (scope.endsWith('.*') && needed.startsWith(scope.slice(0, -1))),
  )
}

/** Whether a key may be given this scope: a bare `*`, or one that covers nothing, may not. */
export function isGrantable(scope: string): boolean {
  return SCOPES.some((known) => covers([scope], known))
}
