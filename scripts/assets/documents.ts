import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { EARLIER_DOCUMENTS, OPENAPI_DOCUMENTS } from '../../src/openapi/documents.ts'

/** Writes the OpenAPI documents for the Worker (src/openapi/routes.ts). No asset is below `/api/`: only the app answers there. */
export async function writeDocuments(folder: string): Promise<void> {
  for (const [path, document] of Object.entries({ ...OPENAPI_DOCUMENTS, ...EARLIER_DOCUMENTS })) {
    const file = join(folder, 'documents', path)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, JSON.stringify(document))
  }
}
