import { build } from 'esbuild'

/** One script and one style sheet, of all that the dashboard's pages need. */
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
}
