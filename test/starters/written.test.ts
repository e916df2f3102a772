import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { SHIPPED, writeShipped } from '../../scripts/assets/shipped.ts'

it.each(SHIPPED)('$folder are written into a folder that is not there yet', async (kind) => {
  const folder = await mkdtemp(join(tmpdir(), 'shipped-'))
  try {
    await writeShipped(join(folder, 'dist/assets'))
    const text = await readFile(join(folder, `dist/assets/${kind.folder}.json`), 'utf8')
    expect(JSON.parse(text).map(({ name }: { name: string }) => name)).toEqual(kind.names)
  } finally {
    await rm(folder, { recursive: true })
  }
})
