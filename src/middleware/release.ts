import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import { routePath } from 'hono/route'
import type { AppEnv } from '../engine/env.ts'
import { ApiError } from '../engine/errors.ts'
import { type Warning, withoutEffect } from '../engine/json/warnings.ts'
import { CURRENT, type Lifecycle, type Release } from '../engine/releases/release.ts'
import { liveRelease, RELEASES } from '../engine/releases/table.ts'

const BASE = '/api/integrations/v1/'
/** The chapter about releases in the API reference. */
export const RELEASE_GUIDE = '/docs/#integrations/description/releases'

/**
 * Sets the release that the key is pinned to, and announces its end in `Deprecation` (RFC 9745) and
 * `Sunset` (RFC 8594). 410 RELEASE_GONE after its end (spec 9), 404 NOT_FOUND for an endpoint that it does not have.
 */
export const release = createMiddleware<AppEnv>(async function release(c, next) {
  const { release: name } = c.get('caller').key
  // `exchange` has set it already.
  if (name === CURRENT.name) return next()
  const lifecycle = RELEASES.find((known) => known.name === name)?.lifecycle
  if (lifecycle) announceEnd(c, lifecycle)
  const live = requireLiveRelease(name)
  c.set('release', live)
  const change = live.endpoints[endpointOf(c)] ?? null
  c.set('change', change)
  if (change?.isMissing) {
    const message = `Release ${name} does not have this path.`
    throw new ApiError('NOT_FOUND', message, { reason: 'NOT_IN_RELEASE' })
  }
  await next()
})

/** The release of this name; 410 RELEASE_GONE after its end. */
export function requireLiveRelease(name: string): Release {
  const live = liveRelease(name)
  if (live) return live
  throw new ApiError(
    'RELEASE_GONE',
    `This API key is pinned to release ${name}, which has ended: set its release to "current".`,
  )
}

/** The fields of a body that the release knows, and a warning for each other one. */
export function releasedFields<Value>(c: Context<AppEnv>, sent: Record<string, Value>) {
  return without(c, sent, c.get('change')?.ignores ?? [])
}

/** As releasedFields, of query parameters. `names` are those of the current release. */
export function releasedParameters<Value>(
  c: Context<AppEnv>,
  sent: Record<string, Value>,
  names: readonly string[],
) {
  const takes = c.get('change')?.takes ?? names
  return without(
    c,
    sent,
    names.filter((name) => !takes.includes(name)),
  )
}

function without<Value>(
  c: Context<AppEnv>,
  sent: Record<string, Value>,
  unreleased: readonly string[],
): { known: Record<string, Value>; warnings: Warning[] } {
  const ignored = unreleased.filter((name) => Object.hasOwn(sent, name))
  if (ignored.length === 0) return { known: sent, warnings: [] }
  const reason = `Unknown in release ${c.get('release').name}`
  return {
    known: Object.fromEntries(Object.entries(sent).filter(([name]) => !ignored.includes(name))),
    warnings: ignored.map((name) => withoutEffect(name, reason)),
  }
}

/** The endpoint as a release names it: `PUT locations/:identifier/`. */
function endpointOf(c: Context<AppEnv>): string {
  const method = c.req.method === 'HEAD' ? 'GET' : c.req.method
  return `${method} ${routePath(c, -1).slice(BASE.length)}`
}

function announceEnd(c: Context<AppEnv>, { deprecated_at, sunset_at }: Lifecycle): void {
  c.header('Deprecation', `@${Date.parse(deprecated_at) / 1000}`)
  c.header('Sunset', new Date(sunset_at).toUTCString())
  const links = ['deprecation', 'sunset'].map(
    (rel) => `<${RELEASE_GUIDE}>; rel="${rel}"; type="text/html"`,
  )
  c.header('Link', links.join(', '))
}
