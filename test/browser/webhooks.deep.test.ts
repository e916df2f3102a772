import { describe, expect, it } from 'vitest'
import { copied, reload } from './chromium.ts'
import { call, openWindow, page, served } from './editor.ts'
import { layWebhook } from './webhooks.ts'

const field = (name: string) => page.getByLabel(name, { exact: true })

describe('the form of a webhook', () => {
  it('shows the fields of the chosen kind of proof, and creates a webhook that takes deliveries', async () => {
    const partner = await call('POST', 'settings/v1/partners/', { name: 'Lumen' })
    await page.goto(`${served.origin}/dashboard/new/webhook/?partner_id=${partner.data.id}`)
    const shown = async () =>
      Promise.all(
        ['Algorithm', 'User name', 'Public keys', 'Prefix'].map((name) => field(name).isVisible()),
      )
    expect(await shown()).toEqual([true, false, false, true])
    await field('Proof').selectOption('basic')
    expect(await shown()).toEqual([false, true, false, false])
    await field('Proof').selectOption('public_key')
    expect(await shown()).toEqual([false, false, true, true])
    await field('Proof').selectOption('token')
    expect(await shown()).toEqual([false, false, false, true])
    await field('Name').fill('Lumen, orders')
    await field('Header').fill('X-Token')
    await field('Secret').fill('swordfish')
    await page.getByRole('button', { name: 'Create webhook' }).click()
    const address = await copied(page, 'Copy Address')
    const headers = { 'Content-Type': 'application/json', 'X-Token': 'swordfish' }
    const answer = await fetch(address, { method: 'POST', body: '{}', headers })
    expect(answer.status).toBe(200)
    // A reload opens the page of the webhook, and creates no second one.
    await reload(page)
    await page.getByRole('heading', { name: 'Lumen, orders', level: 1 }).waitFor()
    expect(await page.content()).not.toContain(address)
  })
})

describe('the page of a webhook', () => {
  it('draws its deliveries by day, and shows them as a table without JavaScript', async () => {
    const { id } = await layWebhook('Vinter')
    const at = `${served.origin}/dashboard/webhooks/${id}/`
    await page.goto(at)
    const plot = page.getByRole('img', { name: 'Deliveries by day: applied 1, nothing to do 1' })
    await plot.waitFor()
    expect(await page.getByRole('table', { name: 'Deliveries by day' }).isVisible()).toBe(false)
    await openWindow({ javaScriptEnabled: false })
    await page.goto(at)
    expect(await page.getByRole('table', { name: 'Deliveries by day' }).isVisible()).toBe(true)
  })
})
