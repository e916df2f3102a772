import type * as z from 'zod'
import type { Scope } from '../identity/scopes.ts'

/** What a middleware of a route says of the endpoint. */
export interface Contract {
  scope?: Scope
  query?: z.ZodType
  /** Null where the schema depends on the path. */
  body?: z.ZodType | null
  /** A partner may send the body in its own words. */
  isMapped?: true
  condition?: 'If-Match' | 'If-None-Match'
}

const contracts = new WeakMap<object, Contract>()

/** The middleware, with what it says of the endpoints whose route has it. The reference reads it from the routes. */
export function stating<Middleware extends object>(
  middleware: Middleware,
  contract: Contract,
): Middleware {
  contracts.set(middleware, contract)
  return middleware
}

/** What the handler of a route says; undefined for one that says nothing. */
export function statedBy(handler: object): Contract | undefined {
  return contracts.get(handler)
}
