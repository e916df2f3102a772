import { mkdir, writeFile } from 'node:fs/promises'
import { build } from 'esbuild'
import { referencePage } from './reference/page.ts'

/** The page at /docs/, its script and its style sheet. */
export async function writeReference(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  await Promise.all([
    writeFile(`${folder}/index.html`, await referencePage()),
    build({
      entryPoints: [
        'src/dashboard/browser/reference/reference.ts',
        'src/dashboard/browser/reference/reference.css',
      ],
      outdir: folder,
      bundle: true,
      minify: true,
      target: 'es2022',
      format: 'esm',
      logLevel: 'warning',
    }),
  ])
}
