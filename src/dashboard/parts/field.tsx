import type { ApiError } from '../../engine/errors.ts'

export interface FieldProps {
  label: string
  name: string
  error: ApiError | null
  help?: string
}

/** The error's messages about a field or anything inside it, such as `scopes[0]` for `scopes`. */
export function messagesOf(error: ApiError | null, name: string): string[] {
  return Object.entries(error?.details.fields ?? {}).flatMap(([field, messages]) =>
    field === name || (/^[.[]/.test(field.slice(name.length)) && field.startsWith(name))
      ? messages
      : [],
  )
}

export function Below({
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

export function describedBy(name: string, messages: string[], help: string | undefined) {
  const ids = [...(messages.length > 0 ? [`${name}-error`] : []), ...(help ? [`${name}-help`] : [])]
  return ids.length > 0 ? ids.join(' ') : undefined
}
