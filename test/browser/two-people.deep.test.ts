import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { findings } from './axe.ts'
import { openChromium } from './chromium.ts'
import { call, complaints, page, served } from './editor.ts'

async function signInTo(other: Page): Promise<void> {
  const key = await served.createKey(['settings.*', 'integrations.*'], 'Second')
  await other.goto(`${served.origin}/dashboard/`)
  await other.getByLabel('API key').fill(key)
  await other.getByRole('button', { name: 'Sign in' }).click()
  await other.getByRole('navigation', { name: 'Dashboard' }).waitFor()
}

const save = (of: Page) => of.getByRole('button', { name: 'Save' }).click()

it('two people in two browsers edit and pause a partner, and nobody overwrites the other', async () => {
  const { data } = await call('POST', 'settings/v1/partners/', { name: 'Two browsers' })
  const at = `${served.origin}/dashboard/partners/${data.id}/`
  const saved = async () => (await call('GET', `settings/v1/partners/${data.id}/`)).data
  const chromium = await openChromium()
  try {
    const other = await chromium.newPage()
    await signInTo(other)
    for (const one of [page, other]) await one.goto(at)

    await page.getByLabel('Name', { exact: true }).fill('Named by the first')
    await save(page)
    await page.getByText('The partner was saved.').waitFor()
    await other.getByLabel('Name', { exact: true }).fill('Named by the second')
    await other.getByLabel('Default identifier').selectOption('external_order_id')
    await save(other)
    await other.getByText('Others have changed this since you opened it').waitFor()
    await other.getByRole('row', { name: 'name Named by the first Named by the second' }).waitFor()
    expect(await findings(other)).toEqual([])
    expect(await saved()).toMatchObject({
      name: 'Named by the first',
      default_identifier_field: null,
    })
    await save(other)
    await other.getByText('The partner was saved.').waitFor()
    expect(await saved()).toMatchObject({
      name: 'Named by the second',
      default_identifier_field: 'external_order_id',
    })

    // The first one's page is from before that.
    await page.getByLabel('Note').fill('Counting the stock')
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByText('has been changed since').waitFor()
    expect(await page.getByLabel('Note').inputValue()).toBe('Counting the stock')
    expect((await saved()).pause).toBeNull()
    await page.getByLabel('How long').selectOption('An hour')
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByText('Paused. Requests get 503').waitFor()
    expect(await findings(page)).toEqual([])
    await other.goto(at)
    await other.getByText('Note: Counting the stock').waitFor()
    await other.getByRole('button', { name: 'Resume' }).click()
    await other.getByText('Resumed. From the next request on').waitFor()
    await page.getByRole('button', { name: 'Resume' }).click()
    await page.getByText('has been changed since').waitFor()
    expect((await saved()).pause).toBeNull()
    // Chromium says so of each conflict.
    expect(complaints.splice(0)).toEqual([
      expect.stringContaining('412'),
      expect.stringContaining('412'),
    ])
  } finally {
    await chromium.close()
  }
})
