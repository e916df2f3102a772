import { createMiddleware } from 'hono/factory'
import type { AppEnv } from '../env.ts'
import { ApiError } from '../errors.ts'
import { covers, type Scope } from '../scopes.ts'

export function requireScope(scope: Scope) {
  return createMiddleware<AppEnv>(async function requireScope(c, next) {
    if (!covers(c.get('caller').key.scopes, scope)) {
      throw new ApiError('SCOPE_MISSING', `This API key lacks the scope ${scope}.`)
    }
    await next()
  })
}

/** The workspace's off-switch: it closes the integrations API, not the settings. */
export const requireIntegration = createMiddleware<AppEnv>(async (c, next) => {
  if (!c.get('caller').integration_enabled) {
    throw new ApiError('WORKSPACE_DISABLED', 'The integration is switched off in this workspace.')
  }
  await next()
})
