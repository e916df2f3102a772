import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'

const FILE = '.wrangler/demo.json'

/** What other programs read to reach the local tenant; only its owner may read the file. */
export interface Demo {
  base_url: string
  tenant: string
  settings_key: string
  key: string
  /** Null until the first start has made the sample partner. */
  partner_key: string | null
}

/** What an earlier start has saved; nothing where the file is missing or broken. */
export async function readDemo(): Promise<Partial<Demo>> {
  try {
    return Object(JSON.parse(await readFile(FILE, 'utf8')))
  } catch {
    return {}
  }
}

export async function saveDemo(demo: Demo): Promise<void> {
  await mkdir('.wrangler', { recursive: true })
  await writeFile(FILE, `${JSON.stringify(demo, null, 2)}\n`, { mode: 0o600 })
  await chmod(FILE, 0o600)
}
