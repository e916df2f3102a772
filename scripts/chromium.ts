import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

export const CHROMIUM_ADVICE =
  'Install Chromium (Debian, Ubuntu: apt-get install chromium), or name one in CHROMIUM_PATH.'

/** The browser that is installed here, CHROMIUM_PATH before those on the path; null without one. */
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
