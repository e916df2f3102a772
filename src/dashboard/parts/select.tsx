import { Below, describedBy, type FieldProps, messagesOf } from './field.tsx'

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
