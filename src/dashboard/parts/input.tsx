import { Below, describedBy, type FieldProps, messagesOf } from './field.tsx'

interface InputProps extends FieldProps {
  value: string
  type?: 'text' | 'password' | 'search' | 'number' | 'datetime-local'
  required?: boolean
  disabled?: boolean
  placeholder?: string
  autocomplete?: 'off'
  /** The id of a datalist. */
  list?: string
  step?: 'any'
  min?: number
  max?: number
  /** A time in UTC, which the browser shows in the reader's time zone. */
  isUtc?: boolean
}

/** A labelled input with its hint and the error messages about it. */
export function Input({
  label,
  name,
  error,
  help,
  type = 'text',
  isUtc = false,
  ...input
}: InputProps) {
  const messages = messagesOf(error, name)
  return (
    <div class="field">
      <label for={name}>{label}</label>
      <input
        id={name}
        type={type}
        name={name}
        {...input}
        data-utc={isUtc ? '' : undefined}
        aria-invalid={messages.length > 0 ? 'true' : undefined}
        aria-describedby={describedBy(name, messages, help)}
      />
      <Below name={name} messages={messages} help={help} />
    </div>
  )
}
