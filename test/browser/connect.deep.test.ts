import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { expectLegible } from './axe.ts'
import { copied, reload } from './chromium.ts'
import { call, complaints, openWindow, page, served } from './editor.ts'

const CONNECT = '/dashboard/connect/'
const address = () => page.locator('[data-copy*="/webhooks/v1/"]')
const arrived = () => page.locator('#arrived')

async function connectShop(name: string): Promise<{ address: string; secret: string }> {
  await page.goto(`${served.origin}${CONNECT}woocommerce-orders/`)
  await page.getByLabel('Name').fill(name)
  await page.getByLabel('Before each order number').fill(`${name}-`)
  await page.getByRole('button', { name: 'Connect' }).click()
  await page.getByRole('heading', { name: `${name}, orders` }).waitFor()
  return {
    address: (await address().getAttribute('data-copy')) ?? '',
    secret: (await page.locator('[data-copy]').nth(1).getAttribute('data-copy')) ?? '',
  }
}

/** Delivers as WooCommerce does. */
async function deliver(to: string, secret: string, document: object) {
  const body = JSON.stringify(document)
  const signature = createHmac('sha256', secret).update(body).digest('base64')
  return await fetch(to, {
    method: 'POST',
    body,
    headers: {
      'Content-Type': 'application/json',
      'X-WC-Webhook-Topic': 'order.created',
      'X-WC-Webhook-Signature': signature,
    },
  })
}

async function exampleOrder(sku: string) {
  const path = 'settings/v1/mapping-starters/woocommerce-order/'
  const { document } = (await call('GET', path)).data
  const [line] = document.line_items
  return { ...document, line_items: [{ ...line, sku, variation_id: 0 }] }
}

describe('the page of a connection', () => {
  it('is reached from the partners, and shows what arrives while it is open', async () => {
    await page.goto(`${served.origin}/dashboard/partners/`)
    await page.getByRole('link', { name: 'Connect a system' }).click()
    await page.getByRole('link', { name: 'Orders of WooCommerce' }).click()
    await page.getByRole('heading', { name: 'Connect WooCommerce: orders' }).waitFor()
    const shop = await connectShop('LIVE')
    await arrived().getByText('Nothing yet.').waitFor()
    const order = await exampleOrder('TEA-01')
    await deliver(shop.address, 'wrong', order)
    await arrived().getByText('A delivery with a wrong signature').waitFor()
    expect((await deliver(shop.address, shop.secret, order)).status).toBe(200)
    await arrived().getByText(`First order: created LIVE-${order.number}`).waitFor()
    expect(await address().getAttribute('data-copy')).toBe(shop.address)
  })

  it('copies address and secret, keeps them over a test, and shows them no more after a reload', async () => {
    const shop = await connectShop('ONCE')
    expect(await copied(page, 'Copy Address')).toBe(shop.address)
    await page.getByRole('button', { name: 'Send a test' }).click()
    await page.getByText('Nothing was written.').waitFor()
    expect(await address().getAttribute('data-copy')).toBe(shop.address)
    await reload(page)
    await page.getByText('is stored nowhere').waitFor()
    expect(await page.content()).not.toContain(shop.secret)
    expect(await page.content()).not.toContain('/webhooks/v1/')
  })

  it('works without JavaScript', async () => {
    await openWindow({ javaScriptEnabled: false })
    const shop = await connectShop('PLAIN')
    await deliver(shop.address, 'wrong', await exampleOrder('TEA-01'))
    await expect
      .poll(async () => {
        await page.getByRole('button', { name: 'Check again' }).click()
        await page.getByRole('heading', { name: 'PLAIN, orders' }).waitFor()
        return await arrived().innerText()
      })
      .toContain('A delivery with a wrong signature')
    expect(await address().getAttribute('data-copy')).toBe(shop.address)
  })

  it.each(['light', 'dark'] as const)(
    'has nothing that axe finds, in %s colours',
    async (colorScheme) => {
      await page.emulateMedia({ colorScheme })
      await connectShop(`AXE-${colorScheme}`)
      await page.getByRole('button', { name: 'Send a test' }).click()
      await page.getByText('Nothing was written.').waitFor()
      await page.getByText('Enter another one').click()
      await expectLegible(page)
      expect(complaints).toEqual([])
    },
  )
})
