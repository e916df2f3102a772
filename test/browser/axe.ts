import { source } from 'axe-core'
import type { Page } from 'playwright-core'

/** What axe finds on the page: by the rules of WCAG 2.2 that a program can judge, and where. */
export async function findings(page: Page): Promise<string[]> {
  // Without its style sheet a page looks different.
  await page.waitForLoadState()
  await page.evaluate(source)
  return await page.evaluate(`axe.run().then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => id + ' ' + target.join(' '))))`)
}
