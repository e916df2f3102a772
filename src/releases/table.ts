import { isGrantable } from '../scopes.ts'
import { RELEASE_1_0 } from './1.0.ts'
import { CURRENT, type Release } from './release.ts'

/** Every release that a key may be pinned to. One that is no longer here is answered with 410. */
export const RELEASES: readonly Release[] = [CURRENT, RELEASE_1_0]

/** The release of that name; null where there is none, or its sunset has passed. */
export function liveRelease(name: string): Release | null {
  return liveReleases().find((live) => live.name === name) ?? null
}

/** Those whose sunset has not passed. */
export function liveReleases(): Release[] {
  return RELEASES.filter(
    ({ lifecycle }) => lifecycle === null || Date.parse(lifecycle.sunset_at) > Date.now(),
  )
}

/** The releases whose keys may be given the scope. */
export function releasesWith(scope: string): string[] {
  return RELEASES.filter((known) => isGrantable(scopeIn(known, scope))).map(({ name }) => name)
}

/** Our name of a scope that the release may spell otherwise. */
function scopeIn({ scopeNames }: Release, scope: string): string {
  const [spelled, name] =
    Object.entries(scopeNames).find(([prefix]) => scope.startsWith(`${prefix}.`)) ?? []
  return spelled && name ? name + scope.slice(spelled.length) : scope
}

/** Our name of a scope that some release may spell otherwise. */
export function ourScope(scope: string): string {
  return RELEASES.reduce((name, release) => scopeIn(release, name), scope)
}
