import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { cp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const FOLDER = 'dist/assets'
/** Holds the hash of what the assets were built from, once they are complete. */
const STAMP = `${FOLDER}.sha256`
const SOURCES = ['src/**', 'scripts/assets.ts', 'scripts/assets/**', 'package*.json']

/**
 * Builds the Worker's static assets (wrangler.toml): the dashboard's scripts and styles, the OpenAPI
 * documents, the API reference, what is part of the build as data, headers and redirects. Wrangler runs this before each build.
 * Does nothing where they are current.
 */
export async function assets(_args: string[]): Promise<number> {
  const hash = hashOfSources()
  if (existsSync(FOLDER) && hash === (await readFile(STAMP, 'utf8').catch(() => null))) return 0
  await rm(STAMP, { force: true })
  await rm(FOLDER, { recursive: true, force: true })
  await build()
  await writeFile(STAMP, hash)
  return 0
}

async function build(): Promise<void> {
  // Loading these takes a second of CPU.
  const [{ bundleBrowser }, { writeDocuments }, { writeReference }, { writeShipped }] =
    await Promise.all([
      import('./assets/browser.ts'),
      import('./assets/documents.ts'),
      import('./assets/reference.ts'),
      import('./assets/shipped.ts'),
    ])
  await Promise.all([
    bundleBrowser(`${FOLDER}/assets`),
    writeDocuments(FOLDER),
    writeShipped(FOLDER),
    writeReference(`${FOLDER}/docs`),
    cp('src/dashboard/browser/_headers', `${FOLDER}/_headers`),
    cp('src/dashboard/browser/_redirects', `${FOLDER}/_redirects`),
  ])
}

function hashOfSources(): string {
  const files = globSync(SOURCES, { withFileTypes: true }).filter((entry) => entry.isFile())
  const paths = files.map(({ parentPath, name }) => join(parentPath, name))
  const hash = createHash('sha256')
  for (const path of paths.toSorted()) hash.update(`${path}\n`).update(readFileSync(path))
  return hash.digest('hex')
}
