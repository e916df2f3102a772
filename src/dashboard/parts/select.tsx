import { type FieldProps, LabelledControl } from './field.tsx'

interface SelectProps extends FieldProps {
  value: string
  options: readonly (readonly [value: string, text: string])[]
  disabled?: boolean
}

export function Select({ value, options, disabled, ...field }: SelectProps) {
  return (
    <LabelledControl
      {...field}
      control={(state) => (
        <select id={field.name} name={field.name} disabled={disabled} {...state}>
          {options.map(([option, text]) => (
            <option value={option} selected={option === value}>
              {text}
            </option>
          ))}
        </select>
      )}
    />
  )
}
