import { afterAll, expect, vi } from 'vitest'
import { lookAtResponse } from './answer.ts'
import { outgoing } from './outgoing.ts'
import { watchHashing } from './watch.ts'

// Every test file in Node begins with this one. Where it starts a server, whoever stops that has
// looked through what it stored and logged: see close() of its like.

const stopHashing = watchHashing(outgoing)

const fetchIt = globalThis.fetch
globalThis.fetch = async (input, init) => {
  const response = await fetchIt(input, init)
  const { method = 'GET' } = input instanceof Request ? input : (init ?? {})
  await lookAtResponse(outgoing, method, response.url, response)
  return response
}

// The next file may run in this very process. It loads modules anew, so that the hooks in them are its own too.
afterAll(() => {
  stopHashing()
  globalThis.fetch = fetchIt
  vi.resetModules()
  expect(outgoing.take(), 'where an API key got out').toEqual([])
})
