import { cp } from 'node:fs/promises'
import { build } from 'esbuild'

/** One script, one style sheet and one icon, of all that the dashboard's pages need. */
export async function bundleBrowser(outdir: string): Promise<void> {
  await build({
    entryPoints: ['browser/dashboard.ts', 'browser/dashboard.css'],
    outdir,
    bundle: true,
    minify: true,
    target: 'es2022',
    format: 'esm',
    logLevel: 'warning',
  })
  await cp('browser/icon.svg', `${outdir}/icon.svg`)
}
