import { inject } from 'vitest'
import { draw } from './draw.ts'

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
  return whole ? [...all] : draw(all, deep ? inDeep : inQuick, seed)
}
