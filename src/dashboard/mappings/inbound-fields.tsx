import type { PropsWithChildren } from 'hono/jsx'
import type { ApiError } from '../../engine/errors.ts'
import { FORMAT_OPTIONS } from '../../engine/formats/options.ts'
import { Select } from '../parts/select.tsx'
import type { DraftRules } from './draft.ts'

interface InboundProps {
  rules: DraftRules
  error: ApiError | null
}

/** What few mappings have, each closed unless it is set, or has an error. */
export function InboundFields(props: InboundProps) {
  return (
    <>
      <NoValueField {...props} />
      <RecordsFields {...props} />
      <FormatsField {...props} />
    </>
  )
}

interface MoreProps {
  summary: string
  texts: readonly string[]
  messages: readonly string[]
}

function More({ summary, texts, messages, children }: PropsWithChildren<MoreProps>) {
  return (
    <details class="more" open={texts.some((text) => text !== '') || messages.length > 0}>
      <summary>{summary}</summary>
      {children}
      {messages.length > 0 && <p class="form-error">{messages.join(' ')}</p>}
    </details>
  )
}

interface LinesProps {
  label: string
  name: string
  rows?: number
  placeholder: string
  text: string
  isWrong?: boolean
}

/** A text with a value a line. */
export function LinesField({ label, text, rows = 2, isWrong = false, ...area }: LinesProps) {
  return (
    <label>
      {label}
      <textarea
        name={area.name}
        rows={rows}
        placeholder={area.placeholder}
        autocapitalize="off"
        spellcheck={false}
        aria-invalid={isWrong ? 'true' : undefined}
      >
        {/* Browsers drop the first line break. */}
        {`\n${text}`}
      </textarea>
    </label>
  )
}

/** What is no value for all rules. A sender that writes `false` for nothing does so everywhere. */
function NoValueField({ rules: { none }, error }: InboundProps) {
  const messages = messagesAt(error, 'none')
  return (
    <More summary='Values that mean "no value" in every rule' texts={[none]} messages={messages}>
      <LinesField
        label="One a line"
        name="inbound.no_values"
        placeholder={'N/A\nfalse\n1900-01-01'}
        text={none}
        isWrong={messages.length > 0}
      />
    </More>
  )
}

/** Which records a document has, if it has several. */
function RecordsFields({ rules: { each, group_by, first }, error }: InboundProps) {
  const messages = [...messagesAt(error, 'records'), ...messagesAt(error, 'first')]
  return (
    <More
      summary="Documents with several records"
      texts={[each, group_by, first]}
      messages={messages}
    >
      <label>
        A record for each
        <input
          name="inbound.records_each"
          value={each}
          placeholder="orders[]"
          autocapitalize="off"
          spellcheck={false}
          aria-invalid={messages.length > 0 ? 'true' : undefined}
        />
      </label>
      <LinesField
        label="Rows with the same values here are one record, a path a line"
        name="inbound.group_by"
        placeholder="$[].Name"
        text={group_by}
      />
      <Select
        label="A rule with an index, such as orders[0]"
        name="inbound.first"
        value={first}
        options={FIRST}
        error={error}
      />
    </More>
  )
}

const FIRST = [
  ['', 'refuses a document with several records'],
  ['yes', 'reads that one of several records, and passes over the others'],
] as const

/** How lists are read, and bodies that are no JSON. */
function FormatsField({ rules: { single_as_list, formats }, error }: InboundProps) {
  const messages = formatMessages(error)
  return (
    <More
      summary="How lists, XML, CSV and forms are read"
      texts={[single_as_list, formats]}
      messages={messages}
    >
      <Select
        label="A single value where a rule looks for a list"
        name="inbound.single_as_list"
        value={single_as_list}
        options={SINGLES}
        error={error}
      />
      <LinesField
        label="Options, one a line. Without them the body itself tells."
        name="inbound.formats"
        placeholder={'csv separator = ;\ncsv header = no\nxml prefix cbc = urn:...'}
        text={formats}
        isWrong={messages.length > 0}
      />
    </More>
  )
}

const SINGLES = [
  ['', 'Is refused, except in XML'],
  ['true', 'Is a list of one'],
] as const

function messagesAt(error: ApiError | null, name: string): string[] {
  return error?.details.fields?.[`inbound.${name}`] ?? []
}

function formatMessages(error: ApiError | null): string[] {
  const names = ['formats', ...Object.keys(FORMAT_OPTIONS)].map((name) => `inbound.${name}`)
  const isOf = (field: string) =>
    names.some((name) => field === name || field.startsWith(`${name}.`))
  return Object.entries(error?.details.fields ?? {}).flatMap(([field, messages]) =>
    isOf(field) ? messages : [],
  )
}
