import { env } from 'cloudflare:workers'
import type { CallOptions } from '../fixtures/tenant.ts'
import { elsewhere } from './mappings.ts'

export type GoTo = (known: { name: string; value: string }) => Promise<CallOptions>

export const stay: GoTo = async () => ({})

export const goElsewhere: GoTo = async ({ name, value }) => {
  await env.KEYS.put(name, value)
  return elsewhere
}
