import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newKey, openAccess } from '../fixtures/access.ts'

let access: Awaited<ReturnType<typeof openAccess>>

beforeAll(async () => {
  access = await openAccess()
}, 120_000)

afterAll(async () => await access?.close())

describe('GET /dashboard/sign-in/ after the keys of the team have rotated', () => {
  it('asks for them again, half a minute after the last time at the earliest', async () => {
    const { team, ask } = access
    const signIn = async () =>
      (await ask('GET', '/dashboard/sign-in/', { token: await team.mint() })).status
    expect([await signIn(), team.asked]).toEqual([303, 1])
    team.key = await newKey('two')
    expect([await signIn(), team.asked]).toEqual([401, 1])
    await expect.poll(signIn, { timeout: 45_000, interval: 3000 }).toBe(303)
    expect(team.asked).toBe(2)
  }, 60_000)
})
