import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { starters } from '../../src/settings/mapping-starters/starters.ts'
import type { Shipped } from '../../src/settings/shipped.ts'
import { presets } from '../../src/settings/webhook-presets/presets.ts'
import { listStarter } from './list-starter.ts'

/** All that is part of the build as data. */
export const SHIPPED: Pick<Shipped<unknown>, 'folder' | 'names'>[] = [starters, presets]

/** Writes each kind into one file, which the Worker reads. */
export async function writeShipped(to: string): Promise<void> {
  // All assets are written at the same time: nobody else may have made the folder.
  await mkdir(to, { recursive: true })
  await Promise.all(
    SHIPPED.map(async ({ folder, names }) => {
      const entries = await Promise.all(names.map((name) => readEntry(folder, name)))
      await writeFile(`${to}/${folder}.json`, JSON.stringify(entries))
    }),
  )
}

/** One of them as it is listed. */
export async function readEntry(folder: string, name: string) {
  const entry = await readOwn(folder, name)
  if (!entry.list_of) return entry
  return listStarter(entry, await readOwn(folder, entry.list_of.starter))
}

/** As its file has it, with a document that lies in a file of its own. */
async function readOwn(folder: string, name: string) {
  const path = (file: string) => `src/settings/${folder}/documents/${file}`
  const { document_file: file, ...entry } = JSON.parse(await readFile(path(`${name}.json`), 'utf8'))
  return file ? { ...entry, document: await readFile(path(file), 'utf8') } : entry
}
