import { cp, rm } from 'node:fs/promises'
import { bundleBrowser } from './assets/browser.ts'
import { writeDocuments } from './assets/documents.ts'
import { writeReference } from './assets/reference.ts'

const FOLDER = 'dist/assets'

/**
 * Makes what the Worker's static assets are served from (wrangler.toml): scripts and styles of the
 * dashboard, the OpenAPI documents, the reference reader, headers and redirects. Wrangler runs it
 * before each build.
 */
export async function assets(_args: string[]): Promise<number> {
  await rm(FOLDER, { recursive: true, force: true })
  await Promise.all([
    bundleBrowser(`${FOLDER}/assets`),
    writeDocuments(FOLDER),
    writeReference(`${FOLDER}/docs`),
    cp('browser/_headers', `${FOLDER}/_headers`),
    cp('browser/_redirects', `${FOLDER}/_redirects`),
  ])
  return 0
}
