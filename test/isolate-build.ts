import { build } from 'esbuild'
import { assets } from '../scripts/assets.ts'

/** Builds the static assets, which the Worker reads mapping starters from, and the script of test/isolate.ts. */
export default async function setup(): Promise<void> {
  await Promise.all([
    assets([]),
    build({
      entryPoints: ['src/index.ts'],
      outfile: 'dist/test/worker.cjs',
      bundle: true,
      format: 'cjs',
      target: 'es2024',
      external: ['cloudflare:*', 'node:*'],
    }),
  ])
}
