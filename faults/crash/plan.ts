import type { Random } from './random.ts'

/**
 * What is killed. `all`: every process at once, as a machine does that loses its power. `parent`: the
 * process group of `npm start`, as `kill -9` of a shell's job does. `worker`: the workerd that
 * holds the database. `proxy`: the workerd that wrangler has before it, which holds the port.
 */
export type Target = 'all' | 'parent' | 'worker' | 'proxy'

export interface Kill {
  target: Target
  /** While it starts up, or once it serves and is under load. */
  during: 'start' | 'load'
  /** From when on it starts, or serves. */
  afterMs: number
}

const MOMENT_MS_MAX = 4000

// Of twenty. The first of them are what a short run has.
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

/** So many kills, in an order and at moments that follow from the seed. */
export function planOf(random: Random, kills: number): Kill[] {
  const deck = Array.from({ length: kills }, (_, n) => DECK[n % DECK.length] ?? ['all', 'load'])
  return random.shuffled(deck).map(([target, during]) => ({
    target,
    during,
    afterMs: random.between(0, MOMENT_MS_MAX),
  })) as Kill[]
}
