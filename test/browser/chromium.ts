import { type Browser, chromium } from 'playwright-core'
import { CHROMIUM_ADVICE, findChromium } from '../../scripts/chromium.ts'

/** The machine's own Chromium, without a window. */
export async function openChromium(): Promise<Browser> {
  const executablePath = findChromium()
  if (!executablePath) throw new Error(`There is no Chromium. ${CHROMIUM_ADVICE}`)
  // As root, as in a container, Chromium starts without its sandbox only.
  return await chromium.launch({ executablePath, args: ['--no-sandbox'] })
}
