import { reset } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterAll, expect, vi } from 'vitest'
import { outgoing } from './outgoing.ts'
import { lookInStorage } from './storage.ts'
import { watchConsole, watchHashing } from './watch.ts'

// P11 (docs/ARCHITECTURE.md): every test file of the project begins with this one, and ends with its afterAll.
// The next file in this workerd finds neither rows nor modules of the last one: no cache of the Worker, no spy.

const stopWatching = [watchHashing(outgoing), watchConsole(outgoing)]

afterAll(async () => {
  const { DB_DEMO, DB_OTHER, KEYS, DOCUMENTS } = env
  await lookInStorage(outgoing, { DB_DEMO, DB_OTHER }, KEYS, DOCUMENTS)
  for (const stop of stopWatching) stop()
  await reset()
  vi.resetModules()
  expect(outgoing.take(), 'where an API key got out').toEqual([])
})
