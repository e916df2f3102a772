import { Below, describedBy, type FieldProps, messagesOf } from './field.tsx'

interface TextAreaProps extends FieldProps {
  value: string
  rows: number
  disabled?: boolean
  placeholder?: string
}

/** A labelled text of several lines, none of them prose. */
export function TextArea({ label, name, error, help, value, ...area }: TextAreaProps) {
  const messages = messagesOf(error, name)
  return (
    <div class="field">
      <label for={name}>{label}</label>
      <textarea
        id={name}
        name={name}
        {...area}
        autocapitalize="off"
        autocomplete="off"
        spellcheck={false}
        aria-invalid={messages.length > 0 ? 'true' : undefined}
        aria-describedby={describedBy(name, messages, help)}
      >
        {/* Browsers drop the first line break. */}
        {`\n${value}`}
      </textarea>
      <Below name={name} messages={messages} help={help} />
    </div>
  )
}
