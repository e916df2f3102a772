import { createHash } from 'node:crypto'
import { inject } from 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    /** Of vitest.config.ts. */
    depth: { deep: boolean; seed: number }
  }
}

const { deep, seed } = inject('depth')

/** The first in `npm test`, the second in `npm run test:deep`. */
export function byDepth<T>(inQuick: T, inDeep: T): T {
  return deep ? inDeep : inQuick
}

/** Defines tests that only the deep pass runs. */
export function inDeepPass(define: () => void): void {
  if (deep) define()
}

/** All of a table in the deep pass; in the quick one so many, in their order, drawn by the run's seed. */
export function sample<T>(all: readonly T[], quick: number): T[] {
  if (deep) return [...all]
  const drawn = all
    .map((_, index) => ({ index, lot: lotOf(index) }))
    .sort((one, other) => (one.lot < other.lot ? -1 : 1))
    .slice(0, quick)
  const indexes = new Set(drawn.map(({ index }) => index))
  return all.filter((_, index) => indexes.has(index))
}

function lotOf(index: number): string {
  return createHash('sha1').update(`${seed} ${index}`).digest('hex')
}
