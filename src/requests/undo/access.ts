import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import type { Asker } from './target.ts'

export function askerOf(c: Context<AppEnv>): Asker {
  const { key, orders_of } = c.get('caller')
  return { scopes: key.scopes, orders_of }
}
