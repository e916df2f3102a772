/**
 * Makes an LRUCache with a `ttl` read the clock each time. By default it keeps the time until a timer fires,
 * and in a Worker that timer ends with the request that has set it.
 */
const LAZY_CLOCK = { ttlResolution: 0, perf: { now: () => Date.now() } }

/**
 * Bounds an LRUCache by its entries. Its own `max` reserves room for all of them at once, which takes an isolate up to 1 ms
 * and 300 KB for each cache when it starts.
 */
export function entriesAtMost(max: number) {
  return { maxSize: max, sizeCalculation: () => 1 }
}

/** Bounds an LRUCache by its entries, each of which it forgets after `ttl` milliseconds. */
export function entriesFor(ttl: number, max: number) {
  return { ...entriesAtMost(max), ttl, ...LAZY_CLOCK }
}
