import type { Child } from 'hono/jsx'
import type { ApiError } from '../../engine/errors.ts'

export interface FieldProps {
  label: string
  name: string
  error: ApiError | null
  help?: string | undefined
}

/** The error's messages about a field or anything inside it, such as `scopes[0]` for `scopes`. */
export function messagesOf(error: ApiError | null, name: string): string[] {
  return Object.entries(error?.details.fields ?? {}).flatMap(([field, messages]) =>
    field === name || (/^[.[]/.test(field.slice(name.length)) && field.startsWith(name))
      ? messages
      : [],
  )
}

interface LabelledControlProps extends FieldProps {
  /** The control with this id, which says what is wrong with it and what helps. */
  control: (state: {
    'aria-invalid': 'true' | undefined
    'aria-describedby': string | undefined
  }) => Child
}

/** A control of a form with its label, its hint and the error messages about it. */
export function LabelledControl({ label, name, error, help, control }: LabelledControlProps) {
  const messages = messagesOf(error, name)
  const isWrong = messages.length > 0
  const ids = [...(isWrong ? [`${name}-error`] : []), ...(help ? [`${name}-help`] : [])]
  return (
    <div class="field">
      <label for={name}>{label}</label>
      {control({
        'aria-invalid': isWrong ? 'true' : undefined,
        'aria-describedby': ids.length > 0 ? ids.join(' ') : undefined,
      })}
      {isWrong && (
        <small class="field-error" id={`${name}-error`}>
          {messages.join(' ')}
        </small>
      )}
      {help && (
        <small class="help" id={`${name}-help`}>
          {help}
        </small>
      )}
    </div>
  )
}
