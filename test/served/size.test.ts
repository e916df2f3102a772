import { readFile } from 'node:fs/promises'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'

const GZIPPED_BYTES_MAX = 450 * 1024

describe('the built Worker', () => {
  it('is under 450 KB gzipped, dashboard included', async () => {
    const bytes = gzipSync(await readFile('dist/worker/index.js')).length
    expect(bytes).toBeGreaterThan(10_000)
    expect(bytes).toBeLessThan(GZIPPED_BYTES_MAX)
  })

  it('carries nothing of the OpenAPI documents, the API reference, the plots or what is installed', async () => {
    const text = await readFile('dist/worker/index.js', 'utf8')
    for (const word of [
      '"3.1.0"',
      'Crossdock API reference',
      'Chart.js',
      'createDocument',
      'devDependencies',
    ]) {
      expect(text).not.toContain(word)
    }
  })
})
