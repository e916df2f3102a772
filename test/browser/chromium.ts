import { type Browser, chromium, type Page } from 'playwright-core'
import { expect } from 'vitest'
import { CHROMIUM_ADVICE, findChromium } from '../../scripts/chromium.ts'

/** The machine's own Chromium, without a window. */
export async function openChromium(): Promise<Browser> {
  const executablePath = findChromium()
  if (!executablePath) throw new Error(`There is no Chromium. ${CHROMIUM_ADVICE}`)
  // As root, as in a container, Chromium starts without its sandbox only.
  const args = ['--no-sandbox']
  // Playwright ends the process by an exit that vitest refuses (test/fixtures/end-with-parent.ts).
  return await chromium.launch({ executablePath, args, handleSIGINT: false, handleSIGTERM: false })
}

/** What goes wrong from now on: errors of the page and its console, and requests that go elsewhere. */
export function complaintsOf(page: Page, origin: string): string[] {
  const complaints: string[] = []
  page.on('pageerror', ({ message }) => complaints.push(message))
  page.on('console', (message) => {
    // A violation of the content security policy is one of these, too.
    if (message.type() === 'error') complaints.push(message.text())
  })
  page.on('request', (request) => {
    const url = request.url()
    if (!url.startsWith(origin) && !url.startsWith('data:')) complaints.push(url)
  })
  return complaints
}

// The next text of a button that copies.
const NEXT_TEXT = `({
  text: new Promise((resolve) => {
    const see = ([{ target }]) => target.dataset.copy && resolve(target.textContent)
    new MutationObserver(see).observe(document.body, { childList: true, subtree: true })
  }),
})`

/** Presses a button that copies, sees it say so, and returns what it copied. */
export async function copied(page: Page, name: string): Promise<string> {
  const button = page.getByRole('button', { name })
  await button.waitFor()
  // The button does nothing before the page's script has run.
  await page.waitForLoadState('load')
  // It says so for two seconds only, which a locator may miss on a busy machine.
  const next = await page.evaluateHandle<{ text: Promise<string> }>(NEXT_TEXT)
  await button.click()
  expect(await next.evaluate(({ text }) => text)).toBe('Copied')
  return await page.evaluate<string>('navigator.clipboard.readText()')
}

/** Opens the page anew. A page that answers a form takes its own address in its script: before that, it would be sent again. */
export async function reload(page: Page): Promise<void> {
  await page.waitForLoadState('load')
  await page.reload()
}
