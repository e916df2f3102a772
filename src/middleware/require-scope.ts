import { createMiddleware } from 'hono/factory'
import type { AppEnv } from '../engine/env.ts'
import { ApiError, lacksScope } from '../engine/errors.ts'
import { stating } from '../engine/exchange/contract.ts'
import { nameRecord } from '../engine/exchange/row.ts'
import { covers, type Scope } from '../engine/identity/scopes.ts'

/** 403 SCOPE_MISSING unless the caller's key has the scope. */
export function requireScope(scope: Scope) {
  const required = createMiddleware<AppEnv>(async function requireScope(c, next) {
    nameRecord(c, c.req.param('identifier'))
    if (!covers(c.get('caller').key.scopes, scope)) {
      throw lacksScope(scope)
    }
    await next()
  })
  return stating(required, { scope })
}

/** 403 SCOPE_MISSING unless the caller's key has one of the scopes. */
export function requireSomeScope(some: readonly Scope[]) {
  const [first] = some
  const required = createMiddleware<AppEnv>(async function requireSomeScope(c, next) {
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
  return stating(required, first ? { scope: first } : {})
}
