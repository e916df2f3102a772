import { hideKeys } from '../../engine/identity/key.ts'
import { NAME_LENGTH_MAX } from '../../engine/json/fields.ts'

interface SearchInputProps {
  name: string
  label: string
  value: string
  placeholder?: string
}

export function SearchInput({ name, label, value, placeholder = label }: SearchInputProps) {
  return (
    <input
      type="search"
      name={name}
      value={hideKeys(value)}
      aria-label={label}
      placeholder={placeholder}
      maxlength={NAME_LENGTH_MAX}
      spellcheck={false}
      autocomplete="off"
      required
    />
  )
}
