import { cp } from 'node:fs/promises'
import { build } from 'esbuild'

/** Bundles the dashboard's style sheet and its script, which loads code that only some pages need on demand. */
export async function bundleBrowser(outdir: string): Promise<void> {
  await build({
    entryPoints: ['src/dashboard/browser/dashboard.ts', 'src/dashboard/browser/dashboard.css'],
    outdir,
    bundle: true,
    splitting: true,
    chunkNames: '[name]-[hash]',
    minify: true,
    target: 'es2022',
    format: 'esm',
    logLevel: 'warning',
  })
  await cp('src/dashboard/browser/icon.svg', `${outdir}/icon.svg`)
}
