import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest'
import { type Served, startServer } from '../fixtures/server.ts'
import { complaintsOf, openChromium } from './chromium.ts'

export let served: Served

export let browser: Browser

export let context: BrowserContext

export let page: Page

export let complaints: string[]

beforeAll(async () => {
  served = await startServer()
  browser = await openChromium()
})

afterAll(async () => {
  await browser.close()
  await served.close()
})

beforeEach(async () => {
  context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] })
  page = await context.newPage()
  complaints = complaintsOf(page, 'http://127.0.0.1:')
})

afterEach(async () => {
  expect(complaints).toEqual([])
  await context.close()
})

export async function signIn(
  scopes = ['settings.*', 'integrations.*'],
  at = served,
): Promise<string> {
  const key = await at.createKey(scopes, 'Administrator')
  await page.goto(`${at.origin}/dashboard/`)
  await page.getByLabel('API key').fill(key)
  await page.getByRole('button', { name: 'Sign in' }).click()
  return key
}

export const orders = async (key: string) => {
  const answer = await fetch(`${served.origin}/api/integrations/v1/orders/`, {
    headers: { 'X-API-Key': key },
  })
  return { status: answer.status, request_id: answer.headers.get('X-Request-Id') ?? '' }
}

export const open = (name: string) =>
  page.getByRole('navigation', { name: 'Dashboard' }).getByRole('link', { name }).click()

export const row = (name: string) => page.getByRole('row', { name })
