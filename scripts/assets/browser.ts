import { cp } from 'node:fs/promises'
import { build } from 'esbuild'

/** Bundles the dashboard's style sheet and its script, which loads code that only some pages need on demand. */
export async function bundleBrowser(outdir: string): Promise<void> {
  await build({
    entryPoints: ['src/browser/dashboard.ts', 'src/browser/dashboard.css'],
    outdir,
    bundle: true,
    splitting: true,
    chunkNames: '[name]-[hash]',
    minify: true,
    target: 'es2022',
    format: 'esm',
    logLevel: 'warning',
  })
  await cp('src/browser/icon.svg', `${outdir}/icon.svg`)
}
