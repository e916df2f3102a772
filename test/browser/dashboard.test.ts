import { describe, expect, it } from 'vitest'
import { itInDeep } from '../fixtures/depth.ts'
import { copied, reload } from './chromium.ts'
import { complaints, open, orders, page, row, served, signIn } from './pages.ts'

async function createKey(name: string): Promise<string> {
  await open('API keys')
  await page.getByRole('link', { name: 'Create key' }).click()
  await page.getByLabel('Name').fill(name)
  await page.getByRole('button', { name: 'Create key' }).click()
  return await copyKey()
}

const copyKey = () => copied(page, 'Copy API key')

describe('the dashboard', () => {
  it('leads a stranger to the sign-in, and on to where he wanted', async () => {
    await page.goto(`${served.origin}/dashboard/workspace/`)
    await page.getByLabel('API key').fill('xd_demo_wrong')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('alert').getByText('Invalid API key.').waitFor()
    complaints.length = 0
    await page.getByLabel('API key').fill(await served.createKey(['settings.*', 'integrations.*']))
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Workspace', level: 1 }).waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByText('You are signed out.').waitFor()
    await page.goto(`${served.origin}/dashboard/`)
    await page.getByLabel('API key').waitFor()
  })

  it('creates a key that works, finds its request in the audit log, rotates and revokes it', async () => {
    await signIn()
    const key = await createKey('Web shop')
    const { status, request_id } = await orders(key)
    expect(status).toBe(200)
    await reload(page)
    await page.getByRole('heading', { name: 'API keys', level: 1 }).waitFor()
    await expect.poll(() => row('Web shop').count()).toBe(1)

    await open('Audit log')
    await page.getByLabel('Request id').fill(request_id)
    await page.getByRole('button', { name: 'Find' }).click()
    await page.getByText(request_id).first().waitFor({ state: 'attached' })

    await open('API keys')
    await row('Web shop').getByRole('link', { name: 'Rotate' }).click()
    await page.getByLabel('The old key ends').selectOption('in an hour')
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

  itInDeep('switches the integration off and on', async () => {
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

  itInDeep('is operated by keyboard alone', async () => {
    const key = await served.createKey(['settings.*', 'integrations.*'])
    await page.goto(`${served.origin}/dashboard/partners/`)
    await page.locator('#key:focus').waitFor()
    await page.keyboard.type(key)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Partners', level: 1 }).waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    // The link that skips the navigation takes the focus with it, a moment later.
    await page.waitForURL('**/#content')
    await page.getByRole('link', { name: 'Create partner' }).press('Enter')
    await page.getByRole('heading', { name: 'Create a partner' }).waitFor()
    await page.getByLabel('Name').focus()
    await page.keyboard.type('Keyboard & Co')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Keyboard & Co', level: 1 }).waitFor()
  })
})
