import { check } from '../../middleware/validate.ts'
import { AuditLogQuery } from '../../requests/audit-log/schema.ts'
import type { PageFilters } from '../paths.ts'
import { chosenRange, momentsOf } from '../ranges/range.ts'

/** What a page's filters ask of the audit log. 400 VALIDATION_ERROR names the filter that is wrong. */
export function askedBy(chosen: PageFilters) {
  const range = chosenRange(chosen)
  return {
    preset: range.preset,
    asked: check(AuditLogQuery, { ...chosen, ...momentsOf(range) }),
  }
}
