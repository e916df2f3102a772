import { cp, rm } from 'node:fs/promises'
import { bundleBrowser } from './assets/browser.ts'
import { writeDocuments } from './assets/documents.ts'
import { writeReference } from './assets/reference.ts'
import { writeStarters } from './assets/starters.ts'

const FOLDER = 'dist/assets'

/**
 * Builds the Worker's static assets (wrangler.toml): the dashboard's scripts and styles, the OpenAPI
 * documents, the API reference, the mapping starters, headers and redirects. Wrangler runs this before each build.
 */
export async function assets(_args: string[]): Promise<number> {
  await rm(FOLDER, { recursive: true, force: true })
  await Promise.all([
    bundleBrowser(`${FOLDER}/assets`),
    writeDocuments(FOLDER),
    writeStarters(FOLDER),
    writeReference(`${FOLDER}/docs`),
    cp('src/dashboard/browser/_headers', `${FOLDER}/_headers`),
    cp('src/dashboard/browser/_redirects', `${FOLDER}/_redirects`),
  ])
  return 0
}
