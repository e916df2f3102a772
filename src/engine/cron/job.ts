import type { Connection } from '../db/connect.ts'
import type { Pace } from '../limits/pace.ts'
import type { RetentionRun } from '../metrics/points.ts'

/** Work that each tenant has once a day. Done twice, or twice at once, it does no harm. A tenant's jobs may run at once. */
export interface Job {
  /** In metrics, and where it is noted what is left. */
  name: RetentionRun['of']
  /** The event of its line in the log. */
  event: string
  /** What the line counts; metrics have the first one as `deleted`. */
  counts: readonly [string, ...string[]]
  /** The most D1 queries of a chunk. */
  queries_max: number
  /** The most calls of a chunk to R2 and KV. */
  calls_max: number
  /** Does one chunk for a tenant. True if there is more to do. */
  work: (chunk: Chunk) => Promise<boolean>
  /**
   * By how much a tenant with more to do is behind, in ms: one query. Only one job has it: its tenants have points, of which
   * an invocation may write 250.
   */
  overdue?: (connection: Connection, now: string) => Promise<number>
}

/** What a job may use for a chunk. Each call needs a deadline of 15 s at most. */
export interface Chunk {
  tenant: string
  /** The instant at which the run was due, in ISO 8601. The clock does not count. */
  now: string
  /** To the tenant's database. It counts the queries. */
  connection: Connection
  /** To be called before each call of R2 or KV. Throws Spent if the chunk has used its calls or its time. */
  spend: () => void
  /** Of the chunk's long work. */
  pace: Pace
  /** The first chunk in the tenant's own turn of the day: the place for work that no run has to make up for. */
  isOwnTurn: boolean
  /** Adds to what the line in the log counts. */
  add: (counted: string, amount: number) => void
}

/** The chunk has used its calls or its time: there is more to do. */
export class ChunkSpent extends Error {}
