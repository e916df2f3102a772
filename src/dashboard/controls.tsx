import type { PropsWithChildren } from 'hono/jsx'
import type { ApiError } from '../errors.ts'

interface FieldProps {
  label: string
  name: string
  error: ApiError | null
  help?: string
}

interface InputProps extends FieldProps {
  value: string
  type?: 'text' | 'password' | 'search' | 'number' | 'datetime-local'
  required?: boolean
  disabled?: boolean
  placeholder?: string
  /** The id of a datalist. */
  list?: string
  step?: 'any'
  min?: number
  max?: number
}

/** A labelled input; what the error says of its field stands beside it. */
export function Input({ label, name, error, help, type = 'text', ...input }: InputProps) {
  const messages = messagesOf(error, name)
  return (
    <div class="field">
      <label for={name}>{label}</label>
      <input
        id={name}
        type={type}
        name={name}
        {...input}
        aria-invalid={messages.length > 0 ? 'true' : undefined}
        aria-describedby={describedBy(name, messages, help)}
      />
      <Below name={name} messages={messages} help={help} />
    </div>
  )
}

interface SelectProps extends FieldProps {
  value: string
  options: readonly (readonly [value: string, text: string])[]
  disabled?: boolean
}

export function Select({ label, name, error, help, value, options, disabled }: SelectProps) {
  const messages = messagesOf(error, name)
  return (
    <div class="field">
      <label for={name}>{label}</label>
      <select
        id={name}
        name={name}
        disabled={disabled}
        aria-invalid={messages.length > 0 ? 'true' : undefined}
        aria-describedby={describedBy(name, messages, help)}
      >
        {options.map(([option, text]) => (
          <option value={option} selected={option === value}>
            {text}
          </option>
        ))}
      </select>
      <Below name={name} messages={messages} help={help} />
    </div>
  )
}

/** The error as a whole, above a form; of an error about fields, where to look. */
export function FormError({ error }: { error: ApiError | null }) {
  const count = Object.keys(error?.details.fields ?? {}).length
  const fields = count === 1 ? 'One field needs' : `${count} fields need`
  return error === null ? null : (
    <p class="form-error" role="alert">
      {count === 0 ? error.message : `${fields} another look, see below.`}
    </p>
  )
}

/** What an error says of a field, or of anything within it. */
export function messagesOf(error: ApiError | null, name: string): string[] {
  return Object.entries(error?.details.fields ?? {}).flatMap(([field, messages]) =>
    field === name || (/^[.[]/.test(field.slice(name.length)) && field.startsWith(name))
      ? messages
      : [],
  )
}

interface FormButtonsProps {
  action: string
  /** Where to go instead; a form that stays on its page has no such way. */
  back?: string
  look?: 'danger' | undefined
}

export function FormButtons({ action, back, look }: FormButtonsProps) {
  return (
    <div class="buttons">
      <button type="submit" class={look}>
        {action}
      </button>
      {back && (
        <a class="button secondary outline" href={back}>
          Cancel
        </a>
      )}
    </div>
  )
}

interface ConfirmationProps {
  question: string
  action: string
  back: string
  look?: 'danger' | undefined
  error: ApiError | null
}

/** The page between a button and something that cannot be taken back. */
export function Confirmation(props: PropsWithChildren<ConfirmationProps>) {
  return (
    <article class="confirmation">
      <h1>{props.question}</h1>
      <FormError error={props.error} />
      <form method="post">
        {props.children}
        <FormButtons action={props.action} back={props.back} look={props.look} />
      </form>
    </article>
  )
}

function Below({
  name,
  messages,
  help,
}: {
  name: string
  messages: string[]
  help?: string | undefined
}) {
  return (
    <>
      {messages.length > 0 && (
        <small class="field-error" id={`${name}-error`}>
          {messages.join(' ')}
        </small>
      )}
      {help && (
        <small class="help" id={`${name}-help`}>
          {help}
        </small>
      )}
    </>
  )
}

function describedBy(name: string, messages: string[], help: string | undefined) {
  const ids = [...(messages.length > 0 ? [`${name}-error`] : []), ...(help ? [`${name}-help`] : [])]
  return ids.length > 0 ? ids.join(' ') : undefined
}
