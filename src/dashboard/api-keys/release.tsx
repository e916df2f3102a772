import type { ApiError } from '../../engine/errors.ts'
import { CURRENT } from '../../engine/releases/release.ts'
import { liveRelease, liveReleases } from '../../engine/releases/table.ts'
import { Select } from '../parts/select.tsx'
import { Time } from '../parts/time.tsx'

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
  if (name === CURRENT.name) return null
  const end = liveRelease(name)?.lifecycle?.sunset_at
  return end === undefined ? (
    <small class="line ended">release {name}, ended</small>
  ) : (
    <small class="line">
      release {name}, ends <Time at={end} day /> (UTC)
    </small>
  )
}

/** Such as `1.0, ends 2027-12-01 (UTC)`: the text of an option has no element in which a script could write the day. */
function wordsOf(name: string): string {
  if (name === CURRENT.name) return 'Current'
  const release = liveRelease(name)
  if (release === null) return `${name}, ended`
  const { lifecycle } = release
  return lifecycle ? `${name}, ends ${lifecycle.sunset_at.slice(0, 10)} (UTC)` : name
}
