import { expect } from 'vitest'
import { covered, findings, oddDates, spilled } from './axe.ts'
import { page } from './editor.ts'

/** A folder for pictures of the pages that are looked at. Without it there are none. */
const SHOTS = process.env.SHOTS

/** Axe finds nothing in either colours and at any width. */
export async function look(name: string) {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    // Colours change slowly: until then axe would measure between two of them.
    await page.waitForTimeout(500)
    for (const width of [1280, 720, 390]) {
      await page.setViewportSize({ width, height: 800 })
      if (SHOTS)
        await page.screenshot({
          path: `${SHOTS}/${name}-${colorScheme}-${width}.png`,
          fullPage: true,
        })
      expect(await findings(page)).toEqual([])
      expect(await covered(page)).toEqual([])
      expect(await spilled(page)).toEqual([])
    }
  }
  expect(await oddDates(page)).toEqual([])
  await page.setViewportSize({ width: 1280, height: 900 })
}
