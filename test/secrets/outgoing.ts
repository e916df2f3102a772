import { KeySearch } from './search.ts'

/** What this test file has let out; see `setupFiles` in vitest.config.ts. */
export const outgoing = new KeySearch()
