import type { ApiError } from '../../engine/errors.ts'
import { fieldTime } from '../parts/field-time.ts'
import { Input } from '../parts/input.tsx'

interface TimeInputProps {
  /** Ends with the time zone, `(UTC)`. The browser writes the reader's there. */
  label: string
  name: string
  error: ApiError | null
  value: string
}

/** A field for a time in UTC. The browser makes it one for local time (src/dashboard/browser/dashboard/times.ts). */
export function TimeInput({ value, ...input }: TimeInputProps) {
  return <Input type="datetime-local" value={fieldTime(value)} step="any" isUtc {...input} />
}
