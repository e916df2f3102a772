import { describe, expect, it } from 'vitest'
import { itInDeep } from '../fixtures/depth.ts'
import { expectNoSidewaysScroll, findings } from './axe.ts'
import { faintTexts } from './contrast.ts'
import { call, page, served } from './editor.ts'
import { layRecords } from './records.ts'

const field = () => page.getByRole('searchbox', { name: 'Find anything' })

describe('the search in the header', () => {
  it('finds records from any page, by keyboard, and leads to the one that is meant', async () => {
    await layRecords('Søkeby')
    await page.goto(`${served.origin}/dashboard/workspace/`)
    await field().fill('søk')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Search: søk', level: 1 }).waitFor()
    await page.getByText('Nothing is, begins with').waitFor()
    await field().fill('Søk')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Orders', level: 2 }).waitFor()
    await expect.poll(() => page.getByRole('row', { name: /Søkeby-\d/ }).count()).toBe(2)
    await page.getByRole('link', { name: 'Søkeby-A' }).click()
    await page.getByRole('heading', { name: 'Location Søkeby-A', level: 1 }).waitFor()
    await field().fill('Søkeby-2')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Order Søkeby-2', level: 1 }).waitFor()
  })

  itInDeep('fits a phone, and is legible in light and dark', async () => {
    for (const n of [1, 2]) {
      const code = `Lang-${n}-${'x'.repeat(200)}`
      await call('POST', 'integrations/v1/locations/', { code, zone: 'y'.repeat(250) })
    }
    for (const path of [
      'search/',
      'search/?q=Lang',
      'locations/?search=Lang',
      'orders/?search=no',
    ]) {
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        await page.goto(`${served.origin}/dashboard/${path}`)
        expect([path, await faintTexts(page)]).toEqual([path, []])
        expect([path, await findings(page)]).toEqual([path, []])
        await expectNoSidewaysScroll(page, path)
      }
    }
  })
})
