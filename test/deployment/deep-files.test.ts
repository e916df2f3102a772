import { describe, expect, it } from 'vitest'
import { drawFiles, testFiles } from '../fixtures/deep-files.ts'

const { all, deep } = testFiles()

describe('the files of a deep pass', () => {
  it('are those for it alone, and those that read test/fixtures/depth.ts, if only through another', () => {
    expect(deep).toEqual(expect.arrayContaining(all.filter((file) => file.includes('.deep.test.'))))
    expect(deep).toContain('test/promises/exports.test.ts')
    expect(deep).toContain('test/faults/integrations.test.ts')
    expect(deep).not.toContain('test/answers/echoes.test.ts')
  })

  it('are each drawn by some seed', () => {
    const drawn = new Set(Array.from({ length: 99 }, (_, seed) => drawFiles(deep, seed)).flat())
    expect(deep.filter((file) => !drawn.has(file))).toEqual([])
  })

  it('are about half of them, the same of the same seed, and some always', () => {
    expect(drawFiles(deep, 7)).toEqual(drawFiles(deep, 7))
    expect(drawFiles(deep, 7)).not.toEqual(drawFiles(deep, 8))
    const drawn = drawFiles(deep, 7)
    expect(drawn).toContain('test/tenants/operators-path.deep.test.ts')
    expect(drawn).toContain('test/faults/random.test.ts')
    expect(drawn.length).toBeGreaterThan(deep.length / 3)
    expect(drawn.length).toBeLessThan((deep.length * 2) / 3)
  })
})
