import { type FieldProps, LabelledControl } from './field.tsx'

interface TextAreaProps extends FieldProps {
  value: string
  rows: number
  disabled?: boolean
  placeholder?: string
}

/** A labelled text of several lines, none of them prose. */
export function TextArea({ label, name, error, help, value, ...area }: TextAreaProps) {
  return (
    <LabelledControl
      {...{ label, name, error, help }}
      control={(state) => (
        <textarea
          id={name}
          name={name}
          {...area}
          autocapitalize="off"
          autocomplete="off"
          spellcheck={false}
          {...state}
        >
          {/* Browsers drop the first line break. */}
          {`\n${value}`}
        </textarea>
      )}
    />
  )
}
