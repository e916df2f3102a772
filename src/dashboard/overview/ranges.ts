const HOUR = 3600

export const RANGE_NAMES = ['24h', '7d'] as const
export type RangeName = (typeof RANGE_NAMES)[number]

export const RANGES = {
  '24h': { text: '24 hours', buckets: 24, bucketSeconds: HOUR },
  '7d': { text: '7 days', buckets: 28, bucketSeconds: 6 * HOUR },
}
