const HOUR = 3600

export const PRESET_NAMES = ['1h', '24h', '7d', '30d'] as const
export type PresetName = (typeof PRESET_NAMES)[number]

/** Ranges that end now, with their buckets on the overview. */
export const PRESETS: Record<PresetName, Preset> = {
  '1h': { text: '1 hour', buckets: 60, bucketSeconds: 60 },
  '24h': { text: '24 hours', buckets: 24, bucketSeconds: HOUR },
  '7d': { text: '7 days', buckets: 28, bucketSeconds: 6 * HOUR },
  '30d': { text: '30 days', buckets: 30, bucketSeconds: 24 * HOUR },
}

interface Preset {
  text: string
  buckets: number
  bucketSeconds: number
}
