import type { ApiError } from '../../engine/errors.ts'
import { RATE_LIMIT_MAX } from '../../settings/api-keys/schema.ts'
import { Input } from '../parts/input.tsx'
import { count } from '../parts/numbers.ts'

interface LimitInputsProps {
  /** What is limited: `Requests`. */
  what: string
  /** What happens above the limit. */
  above: string
  /** What expires: `key`. */
  noun: string
  fields: { rate_limit: string; expires_at: string }
  error: ApiError | null
}

/** How much a key or webhook may send, and until when. */
export function LimitInputs({ what, above, noun, fields, error }: LimitInputsProps) {
  return (
    <>
      <Input
        label={`${what} per minute`}
        name="rate_limit"
        type="number"
        min={1}
        max={RATE_LIMIT_MAX}
        value={fields.rate_limit}
        error={error}
        help={`1 to ${count(RATE_LIMIT_MAX)}. ${above} Leave empty for no limit.`}
      />
      <Input
        label="Expires (UTC)"
        name="expires_at"
        type="datetime-local"
        step="any"
        value={fields.expires_at}
        error={error}
        help={`Leave empty for a ${noun} that does not expire.`}
      />
    </>
  )
}
