import type { BrowserContext, Page } from 'playwright-core'
import { afterEach, beforeEach, expect } from 'vitest'
import { browser, served } from './browsing.ts'
import { complaintsOf } from './chromium.ts'

export { browser, served }

export let context: BrowserContext

export let page: Page

export let complaints: string[]

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
