import { afterAll, beforeAll } from 'vitest'
import { type Served, startServer } from '../fixtures/server.ts'

/** Of each file that imports this. */
export let served: Served

beforeAll(async () => {
  served = await startServer()
})
afterAll(() => served.close())
