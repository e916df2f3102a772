import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

export const CHROMIUM_ADVICE =
  'Install Chromium (Debian, Ubuntu: apt-get install chromium), or set CHROMIUM_PATH to its path.'

/** The path of an installed Chromium: CHROMIUM_PATH, else the first in PATH; null if there is none. */
export function findChromium(): string | null {
  const folders = (process.env.PATH ?? '').split(delimiter)
  const named = process.env.CHROMIUM_PATH ? [process.env.CHROMIUM_PATH] : []
  const candidates = [
    ...named,
    ...NAMES.flatMap((name) => folders.map((folder) => join(folder, name))),
  ]
  return candidates.find(isExecutable) ?? null
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
