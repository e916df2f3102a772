import type { Random } from './random.ts'

/**
 * What is killed. `all`: every process at once, as in a power failure. `parent`: the process group of `npm start`, as
 * `kill -9` of a shell job does. `worker`: the workerd with the database. `proxy`: wrangler's workerd in front of it,
 * which has the port.
 */
export type Target = 'all' | 'parent' | 'worker' | 'proxy'

export interface Kill {
  target: Target
  /** During the start, or later under load. */
  during: 'start' | 'load'
  /** Counted from the start, or from when it serves. */
  afterMs: number
}

const MOMENT_MS_MAX = 4000

// Twenty kills. A short run uses the first of them.
const DECK: [Target, Kill['during']][] = [
  ['all', 'load'],
  ['worker', 'load'],
  ['parent', 'load'],
  ['all', 'start'],
  ['all', 'load'],
  ['all', 'load'],
  ['parent', 'load'],
  ['proxy', 'load'],
  ['all', 'load'],
  ['all', 'load'],
  ['worker', 'load'],
  ['parent', 'start'],
  ['all', 'load'],
  ['all', 'load'],
  ['all', 'load'],
  ['parent', 'load'],
  ['all', 'load'],
  ['all', 'start'],
  ['all', 'load'],
  ['all', 'load'],
]

/** `kills` kills, in an order and at moments that the seed determines. */
export function planOf(random: Random, kills: number): Kill[] {
  const deck = Array.from({ length: kills }, (_, n) => DECK[n % DECK.length] ?? ['all', 'load'])
  return random.shuffled(deck).map(([target, during]) => ({
    target,
    during,
    afterMs: random.between(0, MOMENT_MS_MAX),
  })) as Kill[]
}
