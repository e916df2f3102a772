import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { STARTER_NAMES } from '../../src/settings/mapping-starters/starters.ts'

const DOCUMENTS = 'src/settings/mapping-starters/documents'

/** Writes all mapping starters into one file, which the Worker reads. */
export async function writeStarters(folder: string): Promise<void> {
  const files = STARTER_NAMES.map((name) => readFile(`${DOCUMENTS}/${name}.json`, 'utf8'))
  const starters = (await Promise.all(files)).map((text) => JSON.parse(text))
  // All assets are written at the same time: nobody else may have made the folder.
  await mkdir(folder, { recursive: true })
  await writeFile(`${folder}/mapping-starters.json`, JSON.stringify(starters))
}
