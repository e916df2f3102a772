import { api } from '../api.ts'
import type { Scope } from '../identity/scopes.ts'
import { scopeRequiredBy } from '../middleware/require-scope.ts'

// By method and path as OpenAPI writes it: `GET /api/integrations/v1/orders/{identifier}/`.
const scopes = new Map<string, Scope>()
for (const { method, path, handler } of api.routes) {
  const scope = scopeRequiredBy(handler)
  const template = path.replace(/:(\w+)(?:\{[^}]*\})?/g, '{$1}')
  if (scope) scopes.set(`${method} ${template}`, scope)
}

/** The scope that the endpoint's route requires. Throws if there is no such route. */
export function scopeOf(method: string, path: string): Scope {
  const scope = scopes.get(`${method.toUpperCase()} ${path}`)
  if (!scope) throw new Error(`No route ${method} ${path} requires a scope.`)
  return scope
}
