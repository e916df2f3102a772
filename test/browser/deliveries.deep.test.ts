import { afterAll, describe, it } from 'vitest'
import { call, openWindow, page, served } from './editor.ts'
import { look } from './look.ts'
import { openShop } from './waiting.ts'

const at = (path: string) => `${served.origin}/dashboard/${path}`

const item = (sku_code: string, quantity: unknown = 1) => ({ sku_code, quantity })
const order = (order_number: string, ...items: object[]) => ({ order_number, items })

afterAll(async () => {
  await call('PUT', 'settings/v1/workspace/', { integration_enabled: true })
})

describe('deliveries that wait', () => {
  it('are seen, understood and freed where they are', async () => {
    await page.goto(at('deliveries/'))
    await look('empty')
    const keramik = await openShop('Keramik')
    const papier = await openShop('Papier und Tinte')
    for (let n = 1; n <= 4; n++) await keramik.deliver(order(`K-${n}`, item('641')))
    await papier.deliver(order('P-1', item('INK-BLACK-0.5')))
    await papier.deliver(order('P-2', item('TEA-01', 'two')))
    await call('PUT', 'settings/v1/workspace/', { integration_enabled: false })
    await papier.deliver(order('P-3', item('TEA-01')))
    await page.goto(at('deliveries/'))
    await page.getByRole('link', { name: 'Switch the integration on' }).waitFor()
    await look('list')
    await call('PUT', 'settings/v1/workspace/', { integration_enabled: true })
    await page.goto(at('deliveries/?needs=settings'))
    await page.getByRole('link', { name: /^order/ }).click()
    await page.locator('mark', { hasText: '"two"' }).waitFor()
    await look('delivery')
    await page.getByRole('link', { name: 'Dismiss' }).click()
    await look('dismiss')
    await page.goto(at(''))
    await page.getByRole('heading', { name: 'Needs you' }).waitFor()
    await look('overview')
    await page.goto(at(`partners/${keramik.id}/`))
    await page.getByText('4 deliveries wait').waitFor()
    await page.goto(at('deliveries/'))
    await page.getByRole('link', { name: 'Create the product 641' }).click()
    await look('product')
    await page.getByRole('button', { name: 'Create a product' }).click()
    await page.getByText('4 deliveries waited for this product and are being applied.').waitFor()
    await look('created')
  })

  it('are tried one part after the other', async () => {
    const shop = await openShop('Many')
    for (let n = 1; n <= 25; n++) await shop.deliver(order(`M-${n}`, item('MANY')))
    await page.goto(at(`deliveries/?partner_id=${shop.id}`))
    await look('filtered')
    await page.getByRole('link', { name: 'Try these now' }).click()
    await look('question')
    await page.getByRole('button', { name: 'Try 25 deliveries' }).click()
    await page.getByText('25 of 25 deliveries are done: 25 still waiting.').waitFor()
    await look('done')
  })

  it('need no JavaScript', async () => {
    const shop = await openShop('Plain')
    await shop.deliver(order('J-1', item('PLAIN')))
    await openWindow({ javaScriptEnabled: false })
    await page.goto(at(`deliveries/?partner_id=${shop.id}`))
    await page.getByRole('link', { name: /^order J-1/ }).click()
    await page.getByRole('button', { name: 'Apply now' }).click()
    await page.getByText('and cannot be applied yet').waitFor()
    await page.getByRole('link', { name: 'Dismiss' }).click()
    await page.getByRole('button', { name: 'Dismiss' }).click()
    await page.getByText('The delivery was dismissed').waitFor()
  })
})
