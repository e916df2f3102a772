import type { BrowserContextOptions, Page } from 'playwright-core'
import { afterEach, beforeAll, expect } from 'vitest'
import { browser, served } from './browsing.ts'
import { complaintsOf } from './chromium.ts'

export { served }

export let key: string

export let complaints: string[] = []

beforeAll(async () => {
  key = await served.createKey(['settings.*', 'integrations.*'])
  const ask = (path: string) =>
    fetch(`${served.origin}/api/integrations/v1/${path}`, { headers: { 'X-API-Key': key } })
  for (const path of ['orders/', 'orders/', 'orders/unknown/']) await ask(path)
})

afterEach(() => {
  expect(complaints).toEqual([])
})

/** A page of a signed-in visitor whose browser is set up like this. */
export async function visit(path: string, options: BrowserContextOptions = {}): Promise<Page> {
  const page = await (await browser.newContext(options)).newPage()
  complaints = complaintsOf(page, served.origin)
  await page.goto(`${served.origin}/dashboard/sign-in/?next=${encodeURIComponent(path)}`)
  await page.getByLabel('API key').fill(key)
  await page.getByRole('button', { name: 'Sign in' }).click()
  return page
}

export const table = (page: Page) => page.getByRole('table', { name: /^Requests by status class/ })

export const plots = (page: Page) => page.getByRole('img', { name: /over time/ })

/** How many pixels of the first plot have this colour. */
export const drawn = (page: Page, colour: string) =>
  page.evaluate<number>(`(() => {
    const canvas = document.querySelector('canvas')
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
    const wanted = [1, 3, 5].map((at) => parseInt('${colour}'.slice(at, at + 2), 16)).join()
    let pixels = 0
    for (let at = 0; at < data.length; at += 4) {
      if ([data[at], data[at + 1], data[at + 2]].join() === wanted) pixels += 1
    }
    return pixels
  })()`)
