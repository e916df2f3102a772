import { api } from '../api.ts'
import { type Contract, statedBy } from '../engine/exchange/contract.ts'

// By method and path as OpenAPI writes it: `GET /api/integrations/v1/orders/{identifier}/`.
const contracts = new Map<string, Contract>()
for (const { method, path, handler } of api.routes) {
  const endpoint = `${method} ${path.replace(/:(\w+)(?:\{[^}]*\})?/g, '{$1}')}`
  contracts.set(endpoint, { ...contracts.get(endpoint), ...statedBy(handler) })
}

/** What the endpoint's route says. Throws if there is no such route, or if it requires no scope. */
export function contractOf(
  method: string,
  path: string,
): Contract & Required<Pick<Contract, 'scope'>> {
  const { scope, ...contract } = contracts.get(`${method.toUpperCase()} ${path}`) ?? {}
  if (!scope) throw new Error(`No route ${method} ${path} requires a scope.`)
  return { scope, ...contract }
}
