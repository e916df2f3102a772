import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome']

/** The machine's own Chromium, or the one that CHROMIUM_PATH names. */
export async function openChromium(): Promise<Browser> {
  const executablePath = process.env.CHROMIUM_PATH ?? onPath()
  if (!executablePath) throw new Error(`None of ${NAMES.join(', ')} is on PATH: set CHROMIUM_PATH.`)
  return await chromium.launch({ executablePath, args: ['--no-sandbox'] })
}

function onPath(): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter)
  return NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find(existsSync)
}
