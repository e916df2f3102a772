import { expect } from 'vitest'
import { expectLegible, oddDates } from './axe.ts'
import { page } from './editor.ts'

/** A folder for pictures of the pages that are looked at. Without it there are none. */
const SHOTS = process.env.SHOTS

/** Axe finds nothing in either colours and at any width. */
export async function look(name: string) {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    // Colours change slowly: until then axe would measure between two of them.
    await page.waitForTimeout(500)
    await expectLegible(page, async (width) => {
      const path = `${SHOTS}/${name}-${colorScheme}-${width}.png`
      if (SHOTS) await page.screenshot({ path, fullPage: true })
    })
  }
  expect(await oddDates(page)).toEqual([])
  await page.setViewportSize({ width: 1280, height: 900 })
}
