import { cp, mkdir } from 'node:fs/promises'

const READER = 'node_modules/@scalar/api-reference/dist/browser/standalone.js'

/** The page, and the reader that it loads. */
export async function writeReference(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  await cp('browser/reference', folder, { recursive: true })
  await cp(READER, `${folder}/scalar.js`)
}
