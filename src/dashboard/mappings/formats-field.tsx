import type { ApiError } from '../../engine/errors.ts'
import { FORMAT_OPTIONS } from '../../engine/formats/options.ts'

/** How bodies are read that are no JSON. */
export function FormatsField({ formats, error }: { formats: string; error: ApiError | null }) {
  const messages = messagesIn(error)
  return (
    <details class="more" open={formats !== '' || messages.length > 0}>
      <summary>How XML, CSV and forms are read</summary>
      <label>
        One option a line, where something else is meant than what the body itself says
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
