import { createMiddleware } from 'hono/factory'
import type { AppEnv } from '../env.ts'
import { ApiError, lacksScope } from '../errors.ts'
import { covers, type Scope } from '../identity/scopes.ts'
import { nameRecord } from './exchange.ts'

const scopes = new WeakMap<object, Scope>()

/** 403 SCOPE_MISSING unless the caller's key has the scope. */
export function requireScope(scope: Scope) {
  const handler = createMiddleware<AppEnv>(async function requireScope(c, next) {
    nameRecord(c, c.req.param('identifier'))
    if (!covers(c.get('caller').key.scopes, scope)) {
      throw lacksScope(scope)
    }
    await next()
  })
  scopes.set(handler, scope)
  return handler
}

/** 403 SCOPE_MISSING unless the caller's key has one of the scopes. */
export function requireSomeScope(some: readonly Scope[]) {
  const [first] = some
  const handler = createMiddleware<AppEnv>(async function requireSomeScope(c, next) {
    const { scopes: granted } = c.get('caller').key
    if (!some.some((scope) => covers(granted, scope))) {
      throw new ApiError(
        'SCOPE_MISSING',
        `This API key lacks these scopes, of which one is needed: ${some.join(', ')}.`,
        { reason: 'KEY_LACKS_SCOPE' },
      )
    }
    await next()
  })
  if (first) scopes.set(handler, first)
  return handler
}

/** The scope that a route's handler requires; undefined for other handlers. */
export function scopeRequiredBy(handler: object): Scope | undefined {
  return scopes.get(handler)
}

/** The workspace's off-switch. It closes the integrations API, but not the settings. */
export const requireIntegration = createMiddleware<AppEnv>(
  async function requireIntegration(c, next) {
    if (!c.get('caller').integration_enabled) {
      throw new ApiError(
        'WORKSPACE_DISABLED',
        'The integration is switched off in this workspace: switch it on in the settings.',
      )
    }
    await next()
  },
)
