import { createdAtOf, isRequestId } from '../../db/request-id.ts'
import type { Boundary, Log } from './entries.ts'
import { type LogRow, lineMember } from './lines.ts'
import { type LogPlace, scanArchive } from './scan.ts'

/** When a request with this id came in, as far as the id tells. */
export function timesOf(request_id: string): { from?: string; to?: string } {
  const from = createdAtOf(request_id)
  return from === null ? {} : { from, to: from }
}

/** The archived row of the request. `end`: the archive was searched back to there, and may have it before. */
export async function findArchived(
  log: Log,
  request_id: string,
  { archived_to }: Boundary,
): Promise<{ row: LogRow | undefined; end: LogPlace | null }> {
  if (!isRequestId(request_id)) return { row: undefined, end: null }
  const { rows, end } = await scanArchive(
    log,
    {
      ...timesOf(request_id),
      order: 'seq',
      archived_to,
      limit: 1,
      matches: (row) => row.request_id === request_id,
      mark: lineMember({ request_id }),
    },
    (row) => row,
  )
  return { row: rows[0]?.row, end }
}
