import type { ApiError } from '../../errors.ts'
import { Input } from '../controls/input.tsx'
import { fieldTime } from '../layout/field-time.ts'

interface TimeInputProps {
  /** Ends with the time zone, `(UTC)`. The browser writes the reader's there. */
  label: string
  name: string
  error: ApiError | null
  value: string
}

/** A field for a time in UTC. The browser makes it one for local time (src/browser/dashboard/time-fields.ts). */
export function TimeInput({ value, ...input }: TimeInputProps) {
  return <Input type="datetime-local" value={fieldTime(value)} step="any" isUtc {...input} />
}
