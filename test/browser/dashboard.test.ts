import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Served, startServer } from '../served/server.ts'
import { complaintsOf, openChromium } from './chromium.ts'

let served: Served
let browser: Browser
let context: BrowserContext
let page: Page
let complaints: string[]

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

async function signIn(scopes = ['settings.*']): Promise<string> {
  const key = await served.createKey(scopes, 'Administrator')
  await page.goto(`${served.origin}/dashboard/`)
  await page.getByLabel('Settings key').fill(key)
  await page.getByRole('button', { name: 'Sign in' }).click()
  return key
}

const orders = async (key: string) => {
  const answer = await fetch(`${served.origin}/api/integrations/v1/orders/`, {
    headers: { 'X-API-Key': key },
  })
  return { status: answer.status, request_id: answer.headers.get('X-Request-Id') ?? '' }
}

const open = (name: string) =>
  page.getByRole('navigation', { name: 'Dashboard' }).getByRole('link', { name }).click()

async function createKey(name: string): Promise<string> {
  await open('API keys')
  await page.getByRole('link', { name: 'Create key' }).click()
  await page.getByLabel('Name').fill(name)
  await page.getByRole('button', { name: 'Create key' }).click()
  return await copyKey()
}

async function copyKey(): Promise<string> {
  // It says so for a moment only: on a busy machine that may be over before the click is.
  const copied = page.getByRole('button', { name: 'Copied' }).waitFor()
  await page.getByRole('button', { name: 'Copy API key' }).click()
  await copied
  return await page.evaluate<string>('navigator.clipboard.readText()')
}

const row = (name: string) => page.getByRole('row', { name })

describe('the dashboard', () => {
  it('leads a stranger to the sign-in, and on to where he wanted', async () => {
    await page.goto(`${served.origin}/dashboard/workspace/`)
    await page.getByLabel('Settings key').fill('xd_demo_wrong')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('alert').getByText('Invalid API key.').waitFor()
    complaints.length = 0
    await page.getByLabel('Settings key').fill(await served.createKey(['settings.*']))
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Workspace', level: 1 }).waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByText('You are signed out.').waitFor()
    await page.goto(`${served.origin}/dashboard/`)
    await page.getByLabel('Settings key').waitFor()
  })

  it('creates a key that works, finds its request in the audit log, rotates and revokes it', async () => {
    await signIn()
    const key = await createKey('Web shop')
    const { status, request_id } = await orders(key)
    expect(status).toBe(200)
    await page.reload()
    await page.getByRole('heading', { name: 'API keys', level: 1 }).waitFor()
    expect(await row('Web shop').count()).toBe(1)

    await open('Audit log')
    await page.getByLabel('Request id').fill(request_id)
    await page.getByRole('button', { name: 'Find' }).click()
    await page.getByText(request_id).first().waitFor({ state: 'attached' })

    await open('API keys')
    await row('Web shop').getByRole('link', { name: 'Rotate' }).click()
    await page.getByLabel('The old key ends').selectOption('an hour from now')
    await page.getByRole('button', { name: 'Rotate key' }).click()
    const rotated = await copyKey()
    expect(rotated).not.toBe(key)
    expect([(await orders(key)).status, (await orders(rotated)).status]).toEqual([200, 200])

    await page.getByRole('link', { name: 'I have copied it' }).click()
    await row('Web shop').first().getByRole('link', { name: 'Revoke' }).click()
    await page.getByRole('button', { name: 'Revoke key' }).click()
    await page.getByText('The API key was revoked.').waitFor()
    expect([(await orders(key)).status, (await orders(rotated)).status]).toEqual([200, 401])
  })

  it('shows the scopes only of a choice among them', async () => {
    await signIn()
    await open('API keys')
    await page.getByRole('link', { name: 'Create key' }).click()
    await page.waitForURL('**/new/api-key/')
    const scope = page.getByRole('checkbox', { name: 'integrations.orders.read' })
    expect(await scope.isVisible()).toBe(false)
    await page.getByLabel('Chosen scopes').check()
    await scope.check()
    await page.getByLabel('Name').fill('Order reader')
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByRole('link', { name: 'I have copied it' }).click()
    await row('Order reader').getByText('integrations.orders.read').waitFor()
  })

  it('pins a key to a release and limits it, within the bounds that the form has', async () => {
    await signIn()
    await open('API keys')
    await page.getByRole('link', { name: 'Create key' }).click()
    await page.getByLabel('Name').fill('Old client')
    await page.getByLabel('Release').selectOption('1.0, ends 1 December 2027 (UTC)')
    const limit = page.getByLabel('Requests a minute')
    for (const refused of ['0', '30001', '1.5']) {
      await limit.fill(refused)
      await page.getByRole('button', { name: 'Create key' }).click()
      await page.locator('#rate_limit:focus:invalid').waitFor()
    }
    await limit.fill('60')
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByRole('link', { name: 'I have copied it' }).click()
    await row('Old client').getByText('release 1.0, ends 1 December 2027 (UTC)').waitFor()
    await row('Old client').getByText('60 a minute').waitFor()

    await row('Old client').getByRole('link', { name: 'Edit' }).click()
    await page.getByLabel('Release').selectOption('Current')
    expect(await limit.inputValue()).toBe('60')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('The API key was saved.').waitFor()
    await row('Old client').getByText('60 a minute').waitFor()
    expect(await row('Old client').getByText('release').count()).toBe(0)
  })

  it('switches the integration off and on', async () => {
    await signIn()
    const key = await createKey('Switched')
    await open('Workspace')
    await page.getByRole('link', { name: 'Switch off' }).click()
    await page.getByRole('button', { name: 'Switch off' }).click()
    await page.getByText('The integration is switched off: every call').waitFor()
    expect((await orders(key)).status).toBe(403)
    await page.getByRole('link', { name: 'Switch on', exact: true }).click()
    await page.getByRole('button', { name: 'Switch on' }).click()
    await page.getByText('The integration was switched on.').waitFor()
    expect((await orders(key)).status).toBe(200)
  })

  it('is operated by keyboard alone', async () => {
    const key = await served.createKey(['settings.*'])
    await page.goto(`${served.origin}/dashboard/partners/`)
    await page.locator('#key:focus').waitFor()
    await page.keyboard.type(key)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Partners', level: 1 }).waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'Create partner' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Create a partner' }).waitFor()
    await page.getByLabel('Name').focus()
    await page.keyboard.type('Keyboard & Co')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Keyboard & Co', level: 1 }).waitFor()
  })

  it.each([320, 390, 768])('never scrolls sideways at a width of %i', async (width) => {
    await orders(await served.createKey(['integrations.*']))
    await expectNoSidewaysScroll(width)
  })
})

describe('the dashboard of a tenant that nobody has called yet', () => {
  it('never scrolls sideways at a width of 320', async () => {
    const busy = served
    served = await startServer()
    try {
      await expectNoSidewaysScroll(320)
      await page.waitForLoadState('networkidle')
    } finally {
      await served.close()
      served = busy
    }
  })
})

async function expectNoSidewaysScroll(width: number): Promise<void> {
  await page.setViewportSize({ width, height: 700 })
  await signIn()
  for (const path of ['', 'api-keys/', 'new/api-key/', 'partners/', 'workspace/', 'audit-log/']) {
    await page.goto(`${served.origin}/dashboard/${path}`)
    const overflow = await page.evaluate(
      'document.documentElement.scrollWidth - document.documentElement.clientWidth',
    )
    expect([path, overflow]).toEqual([path, 0])
  }
}
