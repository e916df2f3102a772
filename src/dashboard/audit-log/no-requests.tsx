import type { LogPlace } from '../../engine/log/archive/scan.ts'
import { Empty } from '../parts/empty.tsx'
import { Time } from '../parts/time.tsx'
import { auditLogPath, type Filters } from '../paths.ts'

/** Query parameters that filter nothing. */
const NO_FILTERS = ['limit', 'cursor', 'done']

/** A search that stopped before its page was full. */
export function SearchedTo({ end }: { end: LogPlace }) {
  return (
    <p>
      Searched back to <Time at={end.created_at} />. “Older” continues from there.
    </p>
  )
}

export function NoRequests({ chosen, end }: { chosen: Filters; end: LogPlace | null }) {
  if (end !== null) return <SearchedTo end={end} />
  const filters = Object.keys(chosen).filter((name) => !NO_FILTERS.includes(name))
  if (filters.length === 0) {
    return (
      <Empty text="There are no requests. Each request with a known API key appears here after it is answered." />
    )
  }
  return (
    <Empty text="No request matches these filters.">
      <a class="button secondary outline" href={auditLogPath()}>
        {filters.join() === 'area' ? 'All areas' : 'Clear filters'}
      </a>
    </Empty>
  )
}
