import type { ApiError } from '../../engine/errors.ts'

/** The error above a form. For field errors it says only how many there are: each stands at its field. */
export function FormError({ error }: { error: ApiError | null }) {
  const count = Object.keys(error?.details.fields ?? {}).length
  const fields = count === 1 ? 'one field' : `${count} fields`
  return error === null ? null : (
    <p class="form-error" role="alert">
      {count === 0 ? error.message : `Correct ${fields} below.`}
    </p>
  )
}
