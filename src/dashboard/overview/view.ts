import { invalid } from '../../engine/errors.ts'
import { DAY_MS } from '../../engine/json/date-time.ts'
import { type BucketRange, lastBuckets, rangeBetween } from '../../requests/traffic/buckets.ts'
import { type PageFilters, pathWith } from '../paths.ts'
import { type ChosenRange, chosenRange, PRESETS, type PresetName } from '../ranges/range.ts'

const PRESET_DEFAULT = '24h'

// As long as an audit log may be kept.
const DAYS_MAX = 3650

/** What the overview shows: a range, and whose requests. */
export interface View {
  preset: PresetName | undefined
  range: BucketRange
  partner_id: string | undefined
  api_key_id: string | undefined
}

export function overviewPath(filters: PageFilters): string {
  return pathWith('/dashboard/', filters)
}

/** The view that an address names. 400 VALIDATION_ERROR names the field that is wrong. */
export function viewOf(chosen: PageFilters): View {
  const { partner_id, api_key_id } = chosen
  const { preset, ...own } = chosenRange(chosen)
  const isOwn = own.from !== undefined || own.to !== undefined
  const name = isOwn ? undefined : (preset ?? PRESET_DEFAULT)
  return { preset: name, range: name ? rangeOfPreset(name) : ownRange(own), partner_id, api_key_id }
}

function rangeOfPreset(name: PresetName): BucketRange {
  const { buckets, bucketSeconds } = PRESETS[name]
  return lastBuckets(buckets, bucketSeconds)
}

/** Until now, if it has no end. */
function ownRange({
  from,
  to = new Date().toISOString(),
}: Omit<ChosenRange, 'preset'>): BucketRange {
  if (from === undefined) throw invalid({ from: ['Say when the range begins.'] })
  if (from >= to) throw invalid({ from: ['Must be in the past.'] })
  if (Date.parse(to) - Date.parse(from) > DAYS_MAX * DAY_MS) {
    throw invalid({ from: ['A range has at most 3,650 days.'] })
  }
  return rangeBetween(from, to)
}
