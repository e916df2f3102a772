import { type FieldProps, LabelledControl } from './field.tsx'

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
export function Input({ label, name, error, help, type = 'text', isUtc, ...input }: InputProps) {
  return (
    <LabelledControl
      {...{ label, name, error, help }}
      control={(state) => (
        <input
          id={name}
          type={type}
          name={name}
          {...input}
          data-utc={isUtc ? '' : undefined}
          {...state}
        />
      )}
    />
  )
}
