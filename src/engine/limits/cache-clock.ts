/**
 * Makes an LRUCache with a `ttl` read the clock each time. By default it keeps the time until a timer fires,
 * and in a Worker that timer ends with the request that has set it.
 */
export const LAZY_CLOCK = { ttlResolution: 0, perf: { now: () => Date.now() } }
