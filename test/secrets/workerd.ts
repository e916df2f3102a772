import { env } from 'cloudflare:workers'
import { afterAll, expect } from 'vitest'
import { outgoing } from './outgoing.ts'
import { lookInDatabase, lookInKv } from './storage.ts'
import { watchConsole, watchHashing } from './watch.ts'

// Every test file of the project begins with this one, and ends with its afterAll.

watchHashing(outgoing)
watchConsole(outgoing)

afterAll(async () => {
  await lookInStorage()
  expect(outgoing.take(), 'where an API key got out').toEqual([])
})

/** All that the Worker has stored in this file but rate limits, which are numbers. */
export async function lookInStorage(): Promise<void> {
  for (const [name, db] of Object.entries({ DB_DEMO: env.DB_DEMO, DB_OTHER: env.DB_OTHER })) {
    const query = async (sql: string) => (await db.prepare(sql).all()).results
    await lookInDatabase(outgoing, name, query)
  }
  await lookInKv(outgoing, env.KEYS)
}
