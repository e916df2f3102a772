import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { DOCUMENTS } from '../../src/openapi/documents.ts'

/** Writes each OpenAPI document to the path at which it is served. */
export async function writeDocuments(folder: string): Promise<void> {
  for (const [path, document] of Object.entries(DOCUMENTS)) {
    const file = join(folder, path)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, JSON.stringify(document))
  }
}
