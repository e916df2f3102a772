import type { ApiError } from '../../errors.ts'
import { AREAS, RESOURCES } from '../../settings/audit-log/schema.ts'
import { Input, messagesOf, Select } from '../controls.tsx'
import { fieldTime } from '../time.tsx'
import { auditLogPath, type Filters } from './filters.ts'

const METHODS = ['GET', 'POST', 'PUT', 'DELETE']

/** Those of the form, but for the area, which its heading tells. */
const NARROWING = [
  'api_key_id',
  'partner_id',
  'resource',
  'method',
  'status',
  'error_code',
  'from',
  'to',
]

type Option = readonly [value: string, text: string]

/** One request by its id, whatever the filters are. */
export function RequestSearch({ value }: { value: string }) {
  return (
    <search>
      <form class="request-search" method="get">
        <input
          type="search"
          name="request_id"
          value={value}
          aria-label="Request id"
          placeholder="Find by request id"
          spellcheck={false}
          required
        />
        <button type="submit">Find</button>
      </form>
    </search>
  )
}

interface FilterFormProps {
  chosen: Filters
  error: ApiError | null
  keys: readonly { id: string; name: string; hint: string }[]
  partners: readonly { id: string; name: string }[]
}

/** Folded up until something has been chosen in it that its heading does not tell. */
export function FilterForm({ chosen, error, keys, partners }: FilterFormProps) {
  const named = keys.map(({ id, name, hint }) => [id, `${name} (${hint})`] as const)
  const options = partners.map(({ id, name }) => [id, name] as const)
  const control = (name: string) => ({ name, error, value: chosen[name] ?? '' })
  const choice = (name: string, text: string, offered: readonly Option[]) => ({
    ...control(name),
    options: withChosen([['', text], ...offered], chosen[name]),
  })
  return (
    <details class="filters" open={error !== null || isNarrowed(chosen)}>
      <summary>Filters{summaryOf(chosen)}</summary>
      <form method="get">
        <ErrorElsewhere error={error} />
        <div class="grid">
          <Select label="API key" {...choice('api_key_id', 'Any key', named)} />
          <Select label="Partner" {...choice('partner_id', 'Any partner', options)} />
          <Select label="Area" {...choice('area', 'All areas', AREAS.map(same))} />
          <Select label="Resource" {...choice('resource', 'Any resource', RESOURCES.map(same))} />
          <Select label="Method" {...choice('method', 'Any method', METHODS.map(same))} />
          <Input label="Status" {...control('status')} help="404, or 4xx" />
          <Input label="Error code" {...control('error_code')} help="Such as VALIDATION_ERROR" />
          <TimeInput label="From (UTC)" {...control('from')} />
          <TimeInput label="To (UTC)" {...control('to')} />
        </div>
        <div class="buttons">
          <button type="submit">Filter</button>
          <a class="button secondary outline" href={auditLogPath()}>
            Clear filters
          </a>
        </div>
      </form>
    </details>
  )
}

interface TimeInputProps {
  label: string
  name: string
  error: ApiError | null
  value: string
}

function TimeInput({ value, ...input }: TimeInputProps) {
  return <Input type="datetime-local" value={fieldTime(value)} step="any" {...input} />
}

/** What is chosen stays chosen, though it is not, or no longer, among what is offered. */
function withChosen(options: readonly Option[], chosen: string | undefined): readonly Option[] {
  const isOffered = chosen === undefined || options.some(([value]) => value === chosen)
  return isOffered ? options : [...options, [chosen, chosen]]
}

function isNarrowed(chosen: Filters): boolean {
  return NARROWING.some((name) => chosen[name] !== undefined)
}

function summaryOf({ area }: Filters): string {
  return area === undefined ? '' : `: area ${area}`
}

/** An error that no field of the form has, such as a bad cursor. */
function ErrorElsewhere({ error }: { error: ApiError | null }) {
  const fields = [...NARROWING, 'area']
  if (error === null || fields.some((name) => messagesOf(error, name).length > 0)) return null
  return (
    <p class="form-error" role="alert">
      {error.message}
    </p>
  )
}

function same(value: string): Option {
  return [value, value]
}
