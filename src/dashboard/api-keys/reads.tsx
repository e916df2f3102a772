import type { ApiError } from '../../engine/errors.ts'
import { Select } from '../parts/select.tsx'

export function ReadsSelect({ value, error }: { value: string; error: ApiError | null }) {
  return (
    <Select
      label="Reads"
      name="reads"
      value={value}
      options={[
        ['primary', 'Always the newest state'],
        ['near', 'The nearest copy'],
      ]}
      error={error}
      help="The nearest copy answers faster from far away. It may miss what was written in the last 5 seconds."
    />
  )
}
