import { FAILED } from '../../requests/audit-log/schema.ts'
import { auditLogPath, type PageFilters } from '../paths.ts'
import { ChoiceLink } from '../ranges/preset-links.tsx'

/** Leads to the failed requests alone, and back to all. The other filters stay. */
export function StatusLinks({ chosen }: { chosen: PageFilters }) {
  const { status, cursor, format, done, ...others } = chosen
  return (
    <nav aria-label="All or failed">
      <ul class="ranges">
        <ChoiceLink href={auditLogPath(others)} text="Any status" isChosen={status === undefined} />
        <ChoiceLink
          href={auditLogPath({ ...others, status: FAILED })}
          text="Failed"
          isChosen={status === FAILED}
        />
      </ul>
    </nav>
  )
}
