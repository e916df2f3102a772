import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import type { KeySearch } from './search.ts'

const DEMO = join('.wrangler', 'demo.json')

/**
 * Looks for keys in every file below the folder, databases among them. The demo's own keys have their
 * place in .wrangler/demo.json.
 */
export async function lookInFiles(search: KeySearch, folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  for (const entry of entries.filter((known) => known.isFile())) {
    const path = join(entry.parentPath, entry.name)
    const name = relative(folder, path)
    // A database may take its journal away meanwhile.
    const text = await readFile(path, 'latin1').catch(() => '')
    search.look(`the file ${name}`, text && name.endsWith(DEMO) ? withoutOwnKeys(text) : text)
  }
}

function withoutOwnKeys(demo: string): string {
  const { settings_key, key, partner_key, ...rest } = JSON.parse(demo)
  return JSON.stringify(rest)
}
