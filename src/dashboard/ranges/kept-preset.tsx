import type { ApiError } from '../../engine/errors.ts'
import { messagesOf } from '../parts/field.tsx'
import type { PageFilters } from '../paths.ts'

/** The preset of a page in its form, which keeps it unless a range is entered. Not one that was refused. */
export function KeptPreset({ chosen, error }: { chosen: PageFilters; error: ApiError | null }) {
  if (chosen.range === undefined || messagesOf(error, 'range').length > 0) return null
  return <input type="hidden" name="range" value={chosen.range} />
}
