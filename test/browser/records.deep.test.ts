import { describe, expect, it } from 'vitest'
import { faintTexts } from './contrast.ts'
import { complaints, page, served } from './editor.ts'
import { layRecords } from './records.ts'

const WIDTHS = [320, 390, 768, 1280]

describe('the pages of records', () => {
  it('are legible in light and dark, and never scroll sideways', async () => {
    const long = 'x'.repeat(200)
    const { orders, product, location } = await layRecords(`Søndre ${long}`)
    const [order] = orders
    const paths = [
      'orders/',
      'orders/?status=draft&partner_id=x',
      `orders/${order}/`,
      `orders/${order}/cancel/`,
      'products/?is_active=all',
      `products/${product}/`,
      `products/${product}/deactivate/`,
      'locations/',
      `locations/${location}/`,
      'inventory/',
      'inventory/?quantity_below=102',
      'inventory/low/',
      'inventory/?sku_code=none',
    ]
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      for (const path of paths) {
        await page.goto(`${served.origin}/dashboard/${path}`)
        expect([path, await faintTexts(page)]).toEqual([path, []])
      }
    }
    for (const path of paths) {
      await page.goto(`${served.origin}/dashboard/${path}`)
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 700 })
        const overflow = await page.evaluate(
          'document.documentElement.scrollWidth - document.documentElement.clientWidth',
        )
        expect([path, width, overflow]).toEqual([path, width, 0])
      }
    }
    await page.waitForLoadState('networkidle')
    // Chromium complains of each page that is 400.
    expect(complaints.filter((text) => !text.includes('status of 400'))).toEqual([])
    complaints.length = 0
  }, 120_000)
})
