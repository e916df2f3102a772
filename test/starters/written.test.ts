import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { writeStarters } from '../../scripts/assets/starters.ts'
import { STARTER_NAMES } from '../../src/settings/mapping-starters/starters.ts'

it('the mapping starters are written into a folder that is not there yet', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'starters-'))
  try {
    await writeStarters(join(folder, 'dist/assets'))
    const text = await readFile(join(folder, 'dist/assets/mapping-starters.json'), 'utf8')
    expect(JSON.parse(text)).toHaveLength(STARTER_NAMES.length)
  } finally {
    await rm(folder, { recursive: true })
  }
})
