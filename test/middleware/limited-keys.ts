import { beforeAll } from 'vitest'
import { issueKey } from '../fixtures/settings.ts'
import { type Answer, type Api, client, openAdmin } from '../fixtures/tenant.ts'

export const ALL = ['integrations.*', 'settings.*']

export let admin: Api

beforeAll(async () => {
  admin = await openAdmin()
})

/** A key with a limit, in use by this isolate. */
export async function limitedKey(rate_limit: number, scopes = ALL) {
  const { id, key } = await issueKey(admin, { rate_limit, scopes })
  return { id: id as string, value: key as string, api: client(key) }
}

export const remaining = ({ headers }: Answer) => headers.get('X-RateLimit-Remaining')

/** Status and what remains. */
export const told = (answer: Answer) => [answer.status, remaining(answer)]
