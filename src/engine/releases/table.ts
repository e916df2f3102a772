import { isGrantable } from '../identity/scopes.ts'
import { RELEASE_1_0 } from './1.0.ts'
import { CURRENT, type Release } from './release.ts'

/** Every release that a key may be pinned to. A key with any other release gets 410. */
export const RELEASES: readonly Release[] = [CURRENT, RELEASE_1_0]

/** The release of that name; null if there is none, or its sunset has passed. */
export function liveRelease(name: string): Release | null {
  return liveReleases().find((live) => live.name === name) ?? null
}

/** The releases whose sunset has not passed. */
export function liveReleases(): Release[] {
  return RELEASES.filter(
    ({ lifecycle }) => lifecycle === null || Date.parse(lifecycle.sunset_at) > Date.now(),
  )
}

/** The names of the releases that have the scope in this spelling. */
export function releasesWith(scope: string): string[] {
  return RELEASES.filter((known) => isGrantable(scopeIn(known, scope))).map(({ name }) => name)
}

/** The current spelling of a scope in the spelling of a release. */
function scopeIn({ scopeNames }: Release, scope: string): string {
  const [spelled, name] =
    Object.entries(scopeNames).find(([prefix]) => scope.startsWith(`${prefix}.`)) ?? []
  return spelled && name ? name + scope.slice(spelled.length) : scope
}

/** The current spelling of a scope in the spelling of any release. */
export function ourScope(scope: string): string {
  return RELEASES.reduce((name, release) => scopeIn(release, name), scope)
}
