import type { ApiError } from '../../errors.ts'
import { CURRENT } from '../../releases/release.ts'
import { liveRelease, liveReleases } from '../../releases/table.ts'
import { Select } from '../controls/select.tsx'

const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' })

interface ReleaseSelectProps {
  value: string
  error: ApiError | null
}

/** Offers the releases that have not ended, and the key's own release even if it has ended. */
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
      help="A key that is pinned to an older release gets the answers of that release. Once the release has ended, the key is refused with 410."
    />
  )
}

/** The older release that a key is pinned to, and when that release ends. */
export function PinnedRelease({ name }: { name: string }) {
  return name === CURRENT.name ? null : (
    <small class={liveRelease(name) ? 'line' : 'line ended'}>release {wordsOf(name)}</small>
  )
}

/** Such as `1.0, ends 1 December 2027 (UTC)`. */
function wordsOf(name: string): string {
  if (name === CURRENT.name) return 'Current'
  const release = liveRelease(name)
  if (release === null) return `${name}, ended`
  const { lifecycle } = release
  return lifecycle ? `${name}, ends ${day.format(new Date(lifecycle.sunset_at))} (UTC)` : name
}
