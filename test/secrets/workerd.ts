import { env } from 'cloudflare:workers'
import { afterAll, expect } from 'vitest'
import { outgoing } from './outgoing.ts'
import { lookInStorage } from './storage.ts'
import { watchConsole, watchHashing } from './watch.ts'

// Every test file of the project begins with this one, and ends with its afterAll.

watchHashing(outgoing)
watchConsole(outgoing)

afterAll(async () => {
  const { DB_DEMO, DB_OTHER, KEYS } = env
  await lookInStorage(outgoing, { DB_DEMO, DB_OTHER }, KEYS)
  expect(outgoing.take(), 'where an API key got out').toEqual([])
})
