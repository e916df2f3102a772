import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { DOCUMENTS } from '../../src/openapi/documents.ts'

/** Each OpenAPI document at the path that it is served at. */
export async function writeDocuments(folder: string): Promise<void> {
  for (const [path, document] of Object.entries(DOCUMENTS)) {
    const file = join(folder, path)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, JSON.stringify(document))
  }
}
