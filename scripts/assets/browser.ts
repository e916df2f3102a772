import { cp } from 'node:fs/promises'
import { build } from 'esbuild'

/** One style sheet, one icon and one script, which loads what only some of the dashboard's pages need. */
export async function bundleBrowser(outdir: string): Promise<void> {
  await build({
    entryPoints: ['browser/dashboard.ts', 'browser/dashboard.css'],
    outdir,
    bundle: true,
    splitting: true,
    chunkNames: '[name]-[hash]',
    minify: true,
    target: 'es2022',
    format: 'esm',
    logLevel: 'warning',
  })
  await cp('browser/icon.svg', `${outdir}/icon.svg`)
}
