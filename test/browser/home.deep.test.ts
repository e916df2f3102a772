import { describe, it } from 'vitest'
import { call, openWindow, page, served } from './editor.ts'
import { look } from './look.ts'
import { openShop } from './waiting.ts'

const home = () => page.goto(`${served.origin}/dashboard/`)

const order = (order_number: string, sku_code: string, more: object = {}) => ({
  order_number,
  items: [{ sku_code, quantity: 1 }],
  ...more,
})

describe('the overview', () => {
  it('leads a new tenant from step to step, until there is an order', async () => {
    await home()
    await page.getByRole('heading', { name: 'Set up' }).waitFor()
    await look('set-up')
    await page.getByRole('link', { name: 'Create location' }).click()
    await page.getByLabel('Code').fill('A-01')
    await page.getByRole('button', { name: 'Create a location' }).click()
    await page.getByText('The location was created.').waitFor()
    await home()
    await page.getByText('Done: Add locations and products').waitFor()
    await call('POST', 'integrations/v1/orders/', order('O-1', 'TEA-01'))
    await home()
    await page.getByRole('heading', { name: 'Nothing needs you' }).waitFor()
  })

  it('says what needs a person, and how the warehouse is', async () => {
    const shop = await openShop('Keramik')
    for (let n = 1; n <= 3; n++) await shop.deliver(order(`K-${n}`, '641'))
    await shop.deliver(order('K-9', 'TEA-01', { items: [{ sku_code: 'TEA-01', quantity: 'two' }] }))
    for (let n = 2; n <= 5; n++) {
      const dated = order(`O-${n}`, 'TEA-01', { due_date: '2026-01-05' })
      await call('POST', 'integrations/v1/orders/', dated)
    }
    await call('PUT', 'integrations/v1/orders/O-3/', { status: 'in_progress' })
    const stock = { location_code: 'A-01', sku_code: 'TEA-01', quantity: 7 }
    await call('POST', 'integrations/v1/inventory/', { inventory: [stock] })
    const soon = new Date(Date.now() + 86_400_000).toISOString()
    await call('POST', 'settings/v1/api-keys/', { name: 'Handheld', expires_at: soon })
    const pause = { until: null, note: 'moving' }
    const { data } = await call('POST', 'settings/v1/partners/', { name: 'Papier und Tinte' })
    await call('PUT', `settings/v1/partners/${data.id}/`, { pause })
    await home()
    await page.getByRole('heading', { name: 'Needs you' }).waitFor()
    await page
      .getByRole('img', { name: /over time/ })
      .first()
      .waitFor()
    await look('home')
    await page.getByRole('link', { name: 'See which deliveries that wait for a product' }).click()
    await page.getByRole('link', { name: 'order K-1' }).waitFor()
  })

  it('says all of it where no script runs', async () => {
    await openWindow({ javaScriptEnabled: false })
    await home()
    await page.getByText('1 partner is paused: Papier und Tinte').waitFor()
    await page.getByRole('link', { name: 'See which API keys end soon' }).click()
    await page.getByRole('heading', { name: 'Keys that expire soon' }).waitFor()
    await page.getByRole('link', { name: 'in_progress' }).click()
    await page.getByRole('link', { name: 'O-3' }).waitFor()
  })
})
