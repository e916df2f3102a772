import { createHash } from 'node:crypto'
import { inject } from 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    /** Of vitest.config.ts. */
    depth: { deep: boolean; whole: boolean; seed: number }
  }
}

const { deep, whole, seed } = inject('depth')

/** The first in `npm test`, the second in `npm run test:deep`. */
export function byDepth<T>(inQuick: T, inDeep: T): T {
  return deep ? inDeep : inQuick
}

/** Defines tests that only the deep pass runs. */
export function inDeepPass(define: () => void): void {
  if (deep) define()
}

/**
 * So many of a table in the quick pass and in the deep one, in their order, drawn by the run's seed; all of it if no number
 * is given for the deep pass, and with `npm run test:deep -- --whole`.
 */
export function sample<T>(all: readonly T[], inQuick: number, inDeep = all.length): T[] {
  const rows = deep ? inDeep : inQuick
  if (whole || rows >= all.length) return [...all]
  const drawn = all
    .map((_, index) => ({ index, lot: lotOf(index) }))
    .sort((one, other) => (one.lot < other.lot ? -1 : 1))
    .slice(0, rows)
  const indexes = new Set(drawn.map(({ index }) => index))
  return all.filter((_, index) => indexes.has(index))
}

function lotOf(index: number): string {
  return createHash('sha1').update(`${seed} ${index}`).digest('hex')
}
