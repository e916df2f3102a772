const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** The sizes of buckets, in seconds. */
const STEPS = [
  ...[1, 5, 15, 30].map((minutes) => minutes * MINUTE),
  ...[1, 3, 6, 12].map((hours) => hours * HOUR),
  ...[1, 7, 28].map((days) => days * DAY),
]
const LONGEST = 91 * DAY

/** An own range has at most so many whole buckets, and one or two more that it begins or ends in. */
const BUCKETS_MAX = 60

// A Monday, 00:00 UTC: buckets of weeks begin on Mondays, and all others on the hour, or at midnight.
const ORIGIN_SECONDS = 4 * DAY

/** A range of time, in buckets that are aligned to UTC. */
export interface BucketRange {
  /** In ISO 8601, inclusive. */
  from: string
  /** In ISO 8601, exclusive. */
  to: string
  bucketSeconds: number
}

/** So many whole buckets, of which the last one holds the present moment. */
export function lastBuckets(buckets: number, bucketSeconds: number): BucketRange {
  const next = bucketAt(Date.now(), bucketSeconds) + 1
  return {
    from: startOf(next - buckets, bucketSeconds),
    to: startOf(next, bucketSeconds),
    bucketSeconds,
  }
}

/** The range between two moments in ISO 8601, in the smallest buckets of which it has at most 60. */
export function rangeBetween(from: string, to: string): BucketRange {
  const seconds = (Date.parse(to) - Date.parse(from)) / 1000
  const fitting = STEPS.find((step) => seconds <= step * BUCKETS_MAX)
  return { from, to, bucketSeconds: fitting ?? LONGEST }
}

/** The number of the bucket that holds the moment, in milliseconds since 1970. */
function bucketAt(time: number, bucketSeconds: number): number {
  return Math.floor((time / 1000 - ORIGIN_SECONDS) / bucketSeconds)
}

/** When a bucket begins, in ISO 8601. */
export function startOf(bucket: number, bucketSeconds: number): string {
  return new Date((bucket * bucketSeconds + ORIGIN_SECONDS) * 1000).toISOString()
}

/** The numbers of all buckets from this moment in ISO 8601 to the end of the range. */
export function bucketsSince(since: string, { to, bucketSeconds }: BucketRange): number[] {
  const first = bucketAt(Date.parse(since), bucketSeconds)
  const last = bucketAt(Date.parse(to) - 1, bucketSeconds)
  return Array.from({ length: last - first + 1 }, (_, index) => first + index)
}

/** The expression of `bucketAt` in SQL, for a column in ISO 8601; not for moments before 1970-01-05. */
export function bucketSql(column: string, bucketSeconds: number): string {
  return `(unixepoch(${column}) - ${ORIGIN_SECONDS}) / ${bucketSeconds}`
}
