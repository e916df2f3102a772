/** Every scope that an endpoint requires: `<area>.<resource>.<action>` (spec 5.4). */
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
  'settings.keys.read',
  'settings.keys.write',
  'settings.people.read',
  'settings.people.write',
  'settings.partners.read',
  'settings.partners.write',
  'settings.workspace.read',
  'settings.workspace.write',
  'settings.audit.read',
  'settings.documents.read',
  'settings.documents.write',
  'settings.deliveries.write',
] as const

export type Scope = (typeof SCOPES)[number]

/**
 * One covers all reads of settings, the other all writes, except those of documents and of people: keys with these scopes
 * were handed out before there were any. Both are older than the scopes of each part.
 */
const WHOLE_SETTINGS = ['settings.read', 'settings.write'] as const

/** Every scope that a key may have: those above, and their wildcards. */
export const GRANTABLE: readonly string[] = [...SCOPES, ...WHOLE_SETTINGS, ...wildcards()]

/** What `settings.write` covers. */
export const SETTINGS_WRITES: readonly Scope[] = SCOPES.filter((scope) =>
  covers(['settings.write'], scope),
)

/**
 * Whether any of the granted scopes covers the needed one. A granted scope is exact, or ends in `.*` and
 * covers all below it, or is `settings.read` or `settings.write`, which cover that action on all settings
 * except documents and people. `write` does not imply `read`. Only itself and wider wildcards cover a wildcard, because it
 * also includes future scopes.
 */
export function covers(granted: readonly string[], needed: string): boolean {
  return granted.some(
    (scope) =>
      scope === needed ||
      (scope.endsWith('.*') && needed.startsWith(scope.slice(0, -1))) ||
      (isWholeSettings(scope) && isUsualSetting(needed) && actionOf(needed) === actionOf(scope)),
  )
}

/** Whether a key may have this scope. It may not have a bare `*`, or one that covers nothing. */
export function isGrantable(scope: string): boolean {
  return GRANTABLE.includes(scope)
}

/** The scopes that a key with these scopes may grant: all that they cover. */
export function grantableBy(granted: readonly string[]): string[] {
  return GRANTABLE.filter((scope) => covers(granted, scope))
}

function isWholeSettings(scope: string): boolean {
  return WHOLE_SETTINGS.some((whole) => whole === scope)
}

function isUsualSetting(scope: string): boolean {
  return scope.startsWith('settings.') && !/^settings\.(?:documents|people)\./.test(scope)
}

function actionOf(scope: string): string {
  return scope.slice(scope.lastIndexOf('.'))
}

function wildcards(): string[] {
  const prefixes = SCOPES.flatMap((scope) => {
    const [area, resource] = scope.split('.')
    return [`${area}.*`, `${area}.${resource}.*`]
  })
  return [...new Set(prefixes)]
}
