import type { ApiError } from '../../errors.ts'
import { CURRENT } from '../../releases/release.ts'
import { liveRelease, liveReleases } from '../../releases/table.ts'
import { Select } from '../controls.tsx'

const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' })

interface ReleaseSelectProps {
  value: string
  error: ApiError | null
}

/** Offers the releases that have not ended; one that has is there only where a key has it. */
export function ReleaseSelect({ value, error }: ReleaseSelectProps) {
  const live = liveReleases().map(({ name }) => name)
  const names = live.includes(value) ? live : [...live, value]
  return (
    <Select
      label="Release"
      name="release"
      value={value}
      options={names.map((name) => [name, wordsOf(name)] as const)}
      error={error}
      help="A key that is pinned to an older release is answered as in that release, and refused with 410 once it has ended."
    />
  )
}

/** Of a key that is pinned: to which release, and until when. */
export function PinnedRelease({ name }: { name: string }) {
  return name === CURRENT.name ? null : (
    <small class={liveRelease(name) ? 'line' : 'line ended'}>release {wordsOf(name)}</small>
  )
}

/** `1.0, ends 1 December 2027 (UTC)`. */
function wordsOf(name: string): string {
  if (name === CURRENT.name) return 'Current'
  const release = liveRelease(name)
  if (release === null) return `${name}, ended`
  const { lifecycle } = release
  return lifecycle ? `${name}, ends ${day.format(new Date(lifecycle.sunset_at))} (UTC)` : name
}
