import { afterEach, beforeEach } from 'vitest'
import { type Account, startAccount } from './account.ts'

/** Of each test of the file that imports this. */
export let account: Account

beforeEach(async () => {
  account = await startAccount()
})
afterEach(() => account.close())

/** For the place of scripts/tenant/wrangler.ts. */
export const wrangler = {
  runWrangler: (args: string[]) => account.wrangler(args),
  runWranglerJson: async (args: string[]) => JSON.parse(await account.wrangler(args)),
}
