import { source } from 'axe-core'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'

// Axe leaves these out unless they are asked for.
const RULES = JSON.stringify({
  'target-size': { enabled: true },
  'identical-links-same-purpose': { enabled: true },
})

/**
 * What axe finds on the page: by the rules of WCAG 2.2 that a program can judge, and where. Links with one name and
 * different targets are for axe a question; here they are wrong, unless they are times: two requests may be of one
 * second.
 */
export async function findings(page: Page): Promise<string[]> {
  // Without its style sheet a page looks different.
  await page.waitForLoadState()
  await page.evaluate(source)
  return await page.evaluate(`axe.run({ rules: ${RULES} }).then(({ violations, incomplete }) =>
    [...violations, ...incomplete.filter(({ id }) => id === 'identical-links-same-purpose')].flatMap(({ id, nodes }) =>
    nodes
      .filter(({ html }) => id !== 'identical-links-same-purpose' || !html.includes('<time'))
      .map(({ target }) => id + ' ' + target.join(' '))))`)
}

/** What gets the focus behind something that stays in its place, and so is not seen. */
export async function covered(page: Page): Promise<string[]> {
  return await page.evaluate(`(() => {
    const fields = document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex="0"]')
    const isCovered = (field) => {
      field.focus()
      if (document.activeElement !== field) return false
      const { left, top, width, height } = field.getBoundingClientRect()
      const seen = document.elementFromPoint(left + width / 2, top + Math.min(height, innerHeight) / 2)
      const above = seen?.closest('*')
      if (!above || field.contains(above) || above.contains(field)) return false
      for (let one = above; one; one = one.parentElement) {
        if (/sticky|fixed/.test(getComputedStyle(one).position)) return !one.contains(field)
      }
      return false
    }
    return Array.from(fields).filter(isCovered).map((field) => field.outerHTML.slice(0, 80))
  })()`)
}

/** Times whose day is not as all others are, and days that stand outside of a time. */
export async function oddDates(page: Page): Promise<string[]> {
  return await page.evaluate(`(() => {
    const formats = [{ timeStyle: 'short' }, { timeStyle: 'medium' }, { timeZone: 'UTC' }].map(
      (more) => new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', ...more }))
    const times = Array.from(document.querySelectorAll('main time'))
    const odd = times.filter((time) =>
      !formats.some((format) => format.format(new Date(time.dateTime)) === time.textContent))
    const rest = document.querySelector('main')?.cloneNode(true)
    for (const part of rest?.querySelectorAll('time, code, pre, textarea, option, script') ?? []) part.remove()
    const months = 'Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sep|Oct|Nov|Dec|January|February|March|April|May|June|July|August|September|October|November|December'
    const days = rest?.textContent.match(new RegExp('\\d{4}-\\d\\d-\\d\\d|\\d{1,2} (?:' + months + ')\\b|\\b(?:' + months + ') \\d', 'g'))
    return [...odd.map((time) => time.outerHTML), ...(days ?? [])]
  })()`)
}

/** Cells whose content runs over the next cell. */
export async function spilled(page: Page): Promise<string[]> {
  return await page.evaluate(`Array.from(document.querySelectorAll('td, th'))
    .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth + 1)
    .map((cell) => cell.outerHTML.slice(0, 120))`)
}

/** Axe finds nothing at any width, and nothing runs over anything. */
export async function expectLegible(page: Page, before?: (width: number) => Promise<unknown>) {
  for (const width of [1280, 720, 390]) {
    await page.setViewportSize({ width, height: 800 })
    await before?.(width)
    expect(await findings(page)).toEqual([])
    expect(await covered(page)).toEqual([])
    expect(await spilled(page)).toEqual([])
  }
}

/** By how much the page is wider than the window, which then scrolls sideways. */
export const overflow = (page: Page) =>
  page.evaluate<number>(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  )

/** At any width. */
export async function expectNoSidewaysScroll(page: Page, path: string) {
  for (const width of [320, 390, 768, 1280]) {
    await page.setViewportSize({ width, height: 700 })
    expect([path, width, await overflow(page)]).toEqual([path, width, 0])
  }
}
