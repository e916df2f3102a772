import * as z from 'zod'
import { invalid } from '../../engine/errors.ts'
import { QueryDateTime } from '../../engine/json/date-time.ts'
import { check } from '../../middleware/validate.ts'
import type { PageFilters } from '../paths.ts'

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

/** The parameters of a page's address that say which range it shows. */
const RangeQuery = z.object({
  range: z.enum(PRESET_NAMES).optional(),
  from: QueryDateTime.optional(),
  to: QueryDateTime.optional(),
})

/** A range of an address: a preset, or one's own of two moments in UTC, of which each may be open. */
export interface ChosenRange {
  preset: PresetName | undefined
  from: string | undefined
  to: string | undefined
}

/**
 * The range that an address names. A form without JavaScript sends the preset of its page along with a range
 * that was entered: then that counts. 400 VALIDATION_ERROR names the field that is wrong.
 */
export function chosenRange({ range, from, to }: PageFilters): ChosenRange {
  const { range: preset, ...own } = check(RangeQuery, { range, from, to })
  if (own.from !== undefined && own.to !== undefined && own.to <= own.from) {
    throw invalid({ to: ['Must be later than “From”.'] })
  }
  const isOwn = own.from !== undefined || own.to !== undefined
  return { preset: isOwn ? undefined : preset, from: own.from, to: own.to }
}

/** Where the range begins and ends, in ISO 8601. */
export function momentsOf({ preset, from, to }: ChosenRange) {
  return { from: preset === undefined ? from : beginOf(preset), to }
}

function beginOf(preset: PresetName): string {
  const { buckets, bucketSeconds } = PRESETS[preset]
  return new Date(Date.now() - buckets * bucketSeconds * 1000).toISOString()
}
