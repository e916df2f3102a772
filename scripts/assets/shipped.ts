import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { starters } from '../../src/settings/mapping-starters/starters.ts'
import type { Shipped } from '../../src/settings/shipped.ts'
import { presets } from '../../src/settings/webhook-presets/presets.ts'

/** All that is part of the build as data. */
export const SHIPPED: Pick<Shipped<unknown>, 'folder' | 'names'>[] = [starters, presets]

/** Writes each kind into one file, which the Worker reads. */
export async function writeShipped(to: string): Promise<void> {
  // All assets are written at the same time: nobody else may have made the folder.
  await mkdir(to, { recursive: true })
  await Promise.all(
    SHIPPED.map(async ({ folder, names }) => {
      const path = (name: string) => `src/settings/${folder}/documents/${name}.json`
      const files = names.map(async (name) => JSON.parse(await readFile(path(name), 'utf8')))
      await writeFile(`${to}/${folder}.json`, JSON.stringify(await Promise.all(files)))
    }),
  )
}
