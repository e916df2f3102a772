import { readFile, rename, rm, writeFile } from 'node:fs/promises'

const FILE = '.wrangler/demo.json'
const DRAFT = `${FILE}.tmp`

/** How other programs reach the local tenant. Saved in a file that only its owner can read. */
export interface Demo {
  base_url: string
  tenant: string
  settings_key: string
  key: string
  /** Null if the sample partner could not be created. */
  partner_key: string | null
}

/** What an earlier start saved; empty if the file is missing or broken. */
export async function readDemo(): Promise<Partial<Demo>> {
  try {
    return Object(JSON.parse(await readFile(FILE, 'utf8')))
  } catch {
    return {}
  }
}

/** Replaces the file atomically: a reader, even after a crash, finds the complete old or the complete new file. */
export async function saveDemo(demo: Demo): Promise<void> {
  // A start that was killed here may have left a draft with another file mode.
  await rm(DRAFT, { force: true })
  await writeFile(DRAFT, `${JSON.stringify(demo, null, 2)}\n`, { mode: 0o600, flush: true })
  await rename(DRAFT, FILE)
}
