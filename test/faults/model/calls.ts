import type { Fault } from '../../fixtures/fault.ts'
import type { Filters } from './filters.ts'

// A sequence is plain JSON: it can be printed, shrunk and run again.

/** Requests that are sent at the same moment, one after the other finished or not. */
export type Step = Call[]
export type Sequence = Step[]

export interface Call {
  client: Client
  /** Of the Worker's two isolates. */
  isolate: 0 | 1
  /** One of OPERATIONS. */
  operation: string
  /** What the path names: an identifier, or the name of a key or a partner. */
  at?: string
  /** As it is sent, but for partners, which are called by name. */
  body?: unknown
  query?: Filters & {
    limit?: string
    by?: string
    method?: string
    /** Goes on where the last page of the list ended. */
    cursor?: true
  }
  /** Asks for the whole list, as NDJSON. */
  isExport?: true
  /** Of the ETags that answers of this record had, or another: `If-None-Match` of a GET, else `If-Match`. */
  condition?: 'newest' | 'oldest' | 'unknown' | 'any' | 'invalid'
  /** It asks what it would do. */
  isDryRun?: true | undefined
  faults: Fault[]
}

/** Whoever sends a request; each has a key of its own, and `newest` the one that was made last. */
export const CLIENTS = [
  'admin',
  'shop',
  'plain',
  'reader',
  'limited',
  'own',
  'expired',
  'newest',
  'nobody',
] as const
export type Client = (typeof CLIENTS)[number]
