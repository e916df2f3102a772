import type { ApiError } from '../../engine/errors.ts'
import { messagesOf } from './field.tsx'

interface ErrorElsewhereProps {
  error: ApiError | null
  /** The fields that the form has. */
  fields: readonly string[]
}

/** An error about something that the form has no field for, such as a bad cursor. */
export function ErrorElsewhere({ error, fields }: ErrorElsewhereProps) {
  if (error === null || fields.some((name) => messagesOf(error, name).length > 0)) return null
  return (
    <p class="form-error" role="alert">
      {error.message}
    </p>
  )
}
