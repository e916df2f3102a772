import { describe, expect, it } from 'vitest'
import { reload } from './chromium.ts'
import { complaints, page, served, signIn } from './pages.ts'

const OWN = 'metadata.shop'
const COOKIE = 'crossdock_session'

/** Presses the button after the session has ended, and signs in again. */
async function saveTooLate(button: string, key: string) {
  await page.context().clearCookies({ name: COOKIE })
  await page.getByRole('button', { name: button }).click()
  // The script of the sign-in page takes note of the form once the page is loaded.
  await page.waitForURL(/\/sign-in\//)
  await page.getByLabel('API key').fill(key)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByText('The form was not saved: the session had ended.').waitFor()
}

const fillAgain = () => page.getByRole('button', { name: 'Fill it in again' }).click()
const firstTarget = () => page.locator('[name="inbound.target"]').first()

async function openEditor(): Promise<void> {
  await page.goto(`${served.origin}/dashboard/new/partner/`)
  await page.getByLabel('Name').fill(`Nordvik ${crypto.randomUUID()}`)
  await page.getByRole('button', { name: 'Create partner' }).click()
  await page.getByText('The partner was created.').waitFor()
  await page.goto(`${new URL(page.url()).origin}${new URL(page.url()).pathname}mappings/orders/`)
}

describe('what is not saved', () => {
  it('is asked about before a link is followed, and not after it is saved', async () => {
    await signIn()
    await openEditor()
    const asked: string[] = []
    page.on('dialog', async (dialog) => {
      asked.push(dialog.type())
      await dialog.dismiss()
    })
    const before = await firstTarget().inputValue()
    await firstTarget().fill(OWN)
    // The click waits for a page that does not come.
    await page.getByRole('link', { name: 'Orders', exact: true }).click({ noWaitAfter: true })
    await expect.poll(() => asked).toEqual(['beforeunload'])
    expect(page.url()).toContain('/mappings/orders/')
    expect(await firstTarget().inputValue()).toBe(OWN)
    await firstTarget().fill(before)
    await page.getByRole('link', { name: 'Orders', exact: true }).click()
    await page.waitForURL(/\/dashboard\/orders\/$/)
    expect(asked).toHaveLength(1)
  })

  it('is offered again if the session had ended', async () => {
    const key = await signIn()
    await page.goto(`${served.origin}/dashboard/new/partner/`)
    await page.getByLabel('Name').fill('Late partner')
    await saveTooLate('Create partner', key)
    expect(await page.evaluate('JSON.stringify(sessionStorage)')).not.toContain(key.slice(-20))
    await fillAgain()
    expect(await page.getByLabel('Name').inputValue()).toBe('Late partner')
    await reload(page)
    expect(await page.getByText('The form was not saved').count()).toBe(0)
  })

  it('is offered again with all rules of a mapping', async () => {
    const key = await signIn()
    await openEditor()
    await firstTarget().fill(OWN)
    await saveTooLate('Save mapping', key)
    await fillAgain()
    await page.waitForURL(/\/preview\/$/)
    expect(await firstTarget().inputValue()).toBe(OWN)
    await page.getByRole('button', { name: 'Save mapping' }).waitFor()
  })

  it('does not overwrite what others saved before the new session', async () => {
    const key = await signIn()
    await openEditor()
    const at = new URL(page.url()).pathname.replace('mappings/orders/', '')
    await page.goto(served.origin + at)
    const [mine, theirs] = [`Mine ${crypto.randomUUID()}`, `Theirs ${crypto.randomUUID()}`]
    await page.getByLabel('Name').fill(mine)
    const answer = await fetch(served.origin + at.replace('/dashboard/', '/api/settings/v1/'), {
      method: 'PUT',
      headers: { 'X-API-Key': key, 'Content-Type': 'application/json' },
      body: JSON.stringify({ name: theirs }),
    })
    expect(answer.status).toBe(200)
    await saveTooLate('Save', key)
    await fillAgain()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Others have changed this since you opened it').waitFor()
    expect(await page.locator('.conflict').innerText()).toContain(theirs)
    expect(await page.getByLabel('Name').inputValue()).toBe(mine)
    // It is still not saved.
    const asked: string[] = []
    page.on('dialog', async (dialog) => {
      asked.push(dialog.type())
      await dialog.accept()
    })
    await page.getByLabel('Name').press('End')
    await page.getByRole('link', { name: 'Orders', exact: true }).click()
    await expect.poll(() => asked).toEqual(['beforeunload'])
    // The browser complains of the refusal that this test wants.
    expect(complaints.splice(0)).toEqual([expect.stringContaining('status of 412')])
  })

  it('is not kept with a key in it', async () => {
    const key = await signIn()
    await page.goto(`${served.origin}/dashboard/new/partner/`)
    await page.getByLabel('Name').fill(key)
    await page.context().clearCookies({ name: COOKIE })
    await page.getByRole('button', { name: 'Create partner' }).click()
    await page.getByLabel('API key').waitFor()
    expect(await page.evaluate('JSON.stringify(sessionStorage)')).toBe('{}')
  })
})
