import type { ApiError } from '../../engine/errors.ts'
import { Select } from '../parts/select.tsx'
import type { DraftRules } from './draft.ts'

interface RecordsFieldsProps {
  rules: DraftRules
  error: ApiError | null
}

/** Which records a document has, if it has several. */
export function RecordsFields({ rules: { each, group_by, first }, error }: RecordsFieldsProps) {
  const fields = error?.details.fields ?? {}
  const messages = [...(fields['inbound.records'] ?? []), ...(fields['inbound.first'] ?? [])]
  const isOpen = [each, group_by, first].some((text) => text !== '') || messages.length > 0
  const invalid = messages.length > 0 ? 'true' : undefined
  return (
    <details class="more" open={isOpen}>
      <summary>Documents with several records</summary>
      <label>
        A record for each
        <input
          name="inbound.records_each"
          value={each}
          placeholder="orders[]"
          autocapitalize="off"
          spellcheck={false}
          aria-invalid={invalid}
        />
      </label>
      <label>
        Rows with the same values here are one record, a path a line
        <textarea
          name="inbound.group_by"
          rows={2}
          placeholder="$[].Name"
          autocapitalize="off"
          spellcheck={false}
        >
          {`\n${group_by}`}
        </textarea>
      </label>
      <Select
        label="A rule with an index, such as orders[0]"
        name="inbound.first"
        value={first}
        options={FIRST}
        error={error}
      />
      {messages.length > 0 && <p class="form-error">{messages.join(' ')}</p>}
    </details>
  )
}

const FIRST = [
  ['', 'refuses a document with several records'],
  ['yes', 'reads that one of several records, and passes over the others'],
] as const
