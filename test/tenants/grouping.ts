import { expect } from 'vitest'
import type { Staging } from './staging.ts'

export const ROUTE = '*.staging.crossdock.example/*'
export const ROUTER = 'crossdock-router-staging'
export const ENTRIES = `${ROUTER}-groups`

export const LIFE_MS_MAX = 1_800_000

/** From now on a group of staging has room for so many tenants. */
export async function limit({ project }: Staging, tenants: number): Promise<void> {
  const vars = 'BASE_DOMAIN = "staging.crossdock.example"'
  const text = await project.read('wrangler.toml')
  await project.write('wrangler.toml', text.replace(vars, `${vars}\nTENANTS_MAX = ${tenants}`))
}

/** Which Worker has the route. */
export function leader({ cloudflare }: Staging): string[] {
  const having = cloudflare.scripts().filter(({ routes }) => routes.includes(ROUTE))
  return having.map(({ name }) => name)
}

/** Each tenant's key opens its own host, and no other. */
export async function expectApart(staging: Staging, keys: Record<string, string>): Promise<void> {
  for (const host of Object.keys(keys)) {
    for (const [tenant, key] of Object.entries(keys)) {
      const path = '/api/settings/v1/workspace/'
      const answer = await staging.visit(host, path, { headers: { 'X-API-Key': key } })
      const { data, error } = (await answer.json()) as {
        data?: { tenant: string }
        error?: { code: string }
      }
      const expected = host === tenant ? [200, host, undefined] : [401, undefined, 'KEY_INVALID']
      expect([answer.status, data?.tenant, error?.code]).toEqual(expected)
    }
  }
}

/** Acme and bravo fill the first group, which serves them. */
export async function startFull(staging: Staging): Promise<Record<string, string>> {
  await limit(staging, 2)
  const [acme = '', bravo = ''] = await staging.add('acme', 'bravo')
  const { code, stderr } = await staging.deploy('--env', 'staging')
  expect(code, stderr).toBe(0)
  return { acme, bravo }
}
