import { ApiError } from '../errors.ts'
import { type Path, readPath } from '../json/path.ts'
import type { SavedRules } from '../mapping/saved-rule.ts'
import { reads } from '../redaction/targets.ts'

/** 400 SERVICE_ERROR if the mapping reads one of the places whose values are not there any more. */
export function refuseRedacted(
  { redacted }: { redacted: readonly string[] },
  inbound: SavedRules | null,
): void {
  const read = redacted.filter((text) => isRead(readPath(text), inbound))
  if (read.length === 0) return
  const reader = inbound ? 'the mapping reads it' : 'without a mapping every field is read'
  throw new ApiError(
    'SERVICE_ERROR',
    `The document lacks what was redacted at ${read.join(', ')}, and ${reader}. Ask the partner to send the request again.`,
    { reason: 'REDACTED' },
  )
}

/** Without rules, or where they keep the other fields, every place is read. */
function isRead(place: Path, inbound: SavedRules | null): boolean {
  return inbound?.unmapped !== 'drop' || reads(place, inbound)
}
