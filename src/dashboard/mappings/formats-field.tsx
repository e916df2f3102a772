import type { ApiError } from '../../engine/errors.ts'
import { FORMAT_OPTIONS } from '../../engine/formats/options.ts'
import { Select } from '../parts/select.tsx'
import type { DraftRules } from './draft.ts'

const SINGLES = [
  ['', 'Is refused, except in XML'],
  ['true', 'Is a list of one'],
] as const

interface FormatsFieldProps {
  rules: DraftRules
  error: ApiError | null
}

/** How lists are read, and bodies that are no JSON. */
export function FormatsField({ rules: { single_as_list, formats }, error }: FormatsFieldProps) {
  const messages = messagesIn(error)
  const isOpen = single_as_list !== '' || formats !== '' || messages.length > 0
  return (
    <details class="more" open={isOpen}>
      <summary>How lists, XML, CSV and forms are read</summary>
      <Select
        label="A single value where a rule looks for a list"
        name="inbound.single_as_list"
        value={single_as_list}
        options={SINGLES}
        error={error}
      />
      <label>
        Options, one a line. Without them the body itself tells.
        <textarea
          name="inbound.formats"
          rows={2}
          placeholder={'csv separator = ;\ncsv header = no\nxml prefix cbc = urn:...'}
          autocapitalize="off"
          spellcheck={false}
          aria-invalid={messages.length > 0 ? 'true' : undefined}
        >
          {`\n${formats}`}
        </textarea>
      </label>
      {messages.length > 0 && <p class="form-error">{messages.join(' ')}</p>}
    </details>
  )
}

function messagesIn(error: ApiError | null): string[] {
  const names = ['formats', ...Object.keys(FORMAT_OPTIONS)].map((name) => `inbound.${name}`)
  const isOf = (field: string) =>
    names.some((name) => field === name || field.startsWith(`${name}.`))
  return Object.entries(error?.details.fields ?? {}).flatMap(([field, messages]) =>
    isOf(field) ? messages : [],
  )
}
