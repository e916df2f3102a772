import type { Browser } from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'
import { type Served, startServer } from '../fixtures/server.ts'
import { openChromium } from './chromium.ts'

// Of each file that imports this, or imports what does.

export let served: Served

export let browser: Browser

beforeAll(async () => {
  served = await startServer()
  browser = await openChromium()
})

afterAll(async () => {
  await browser?.close()
  await served?.close()
})
