import type { Child } from 'hono/jsx'
import type { ApiError } from '../../engine/errors.ts'
import { KEPT_DAYS_MAX } from '../../engine/redaction/policy.ts'
import { Input } from '../parts/input.tsx'
import { Select } from '../parts/select.tsx'
import { TextArea } from '../parts/text-area.tsx'
import { type DocumentFields, NAMES } from './form.ts'

const CHOICES = [
  ['', 'Nothing'],
  ['errors', 'Documents of failed requests'],
  ['all', 'Documents of all requests'],
] as const

interface DocumentInputsProps {
  /** Whose documents these are: a clause, such as `the keys of this partner`. */
  whose: string
  /** A sentence that says where else something is decided. */
  elsewhere?: Child
  /** A sentence: how to delete what is kept. */
  deletion: Child
  fields: DocumentFields
  error: ApiError | null
  /** Whether this deployment can keep any. */
  hasBucket: boolean
  disabled: boolean
}

/** What is kept of documents, for how long, and who can read it. The style sheet hides the rest of `Nothing`. */
export function DocumentInputs({ whose, deletion, fields, error, ...props }: DocumentInputsProps) {
  const disabled = props.disabled || !props.hasBucket
  const refusals = error?.details.fields?.keep_documents ?? []
  return (
    <fieldset class="documents">
      <legend>Documents</legend>
      {refusals.length > 0 && <small class="field-error">{refusals.join(' ')}</small>}
      <Select
        label="Keep"
        name={NAMES.of}
        value={fields.of}
        options={CHOICES}
        error={error}
        disabled={disabled}
        help={`What ${whose} send with POST, PUT or DELETE, and what they are answered.`}
      />
      {props.elsewhere && <p>{props.elsewhere}</p>}
      {!props.hasBucket && (
        <p>Documents cannot be kept: this deployment has no bucket for them. Ask its operator.</p>
      )}
      <div class="kept">
        {/* Not of type number: a browser would refuse to send the form for a wrong number that is hidden. */}
        <Input
          label="Days"
          name={NAMES.days}
          value={fields.days}
          error={error}
          disabled={disabled}
          help={`1 to ${KEPT_DAYS_MAX}. Fewer days also hold for what is kept already; more days do not.`}
        />
        <TextArea
          label="Redact these places, one path a line"
          name={NAMES.redact}
          value={fields.redact}
          rows={4}
          placeholder={'customer.email\nlines[].note'}
          error={error}
          disabled={disabled}
          help="Paths in the document as it is sent, as in a mapping. What stands there is replaced by “[redacted]” before the document is stored."
        />
        <Consequences deletion={deletion} />
      </div>
    </fieldset>
  )
}

function Consequences({ deletion }: { deletion: Child }) {
  return (
    <ul>
      <li>
        Failed requests are those with a status of 400 or above, but not 401, 403, 413 or 429, and
        uploads with failed rows.
      </li>
      <li>
        Whoever has a key with the scope <code>settings.documents.read</code>, which{' '}
        <code>settings.*</code> includes, can read what is kept. Keys with{' '}
        <code>settings.read</code> cannot.
      </li>
      <li>
        A path that you add here holds from the next request on. What is kept already is not
        rewritten. {deletion}
      </li>
    </ul>
  )
}
