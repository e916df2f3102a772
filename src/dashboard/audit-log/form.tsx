import { OUTCOMES } from '../../engine/db/tables.ts'
import type { ApiError } from '../../engine/errors.ts'
import { AREAS, AUDITED_RESOURCES } from '../../requests/audit-log/schema.ts'
import type { Choices } from '../form/choices.ts'
import { FilterPanel, isFiltered } from '../parts/filter-panel.tsx'
import { Input } from '../parts/input.tsx'
import { type Option, same, withChosen } from '../parts/option.ts'
import { Select } from '../parts/select.tsx'
import { SubjectSelects } from '../parts/subject-selects.tsx'
import { auditLogPath, type PageFilters } from '../paths.ts'
import { KeptPreset } from '../ranges/preset-links.tsx'
import { TimeInput } from '../ranges/time-input.tsx'

const METHODS = ['GET', 'POST', 'PUT', 'DELETE']

const DRY_RUNS: readonly Option[] = [
  ['true', 'Only dry runs'],
  ['false', 'Without dry runs'],
]

/** The form's filters except for the area, which its heading shows. */
const NARROWING = [
  'api_key_id',
  'partner_id',
  'resource',
  'method',
  'status',
  'error_code',
  'record_name',
  'record_name_prefix',
  'field',
  'outcome',
  'dry_run',
  'from',
  'to',
]

interface FilterFormProps {
  chosen: PageFilters
  error: ApiError | null
  choices: Choices
}

/** Closed unless it has an error, or a filter that its heading does not show. */
export function LogFilterForm({ chosen, error, choices }: FilterFormProps) {
  const control = (name: string) => ({ name, error, value: chosen[name] ?? '' })
  const choice = (name: string, text: string, offered: readonly Option[]) => ({
    ...control(name),
    options: withChosen([['', text], ...offered], chosen[name]),
  })
  return (
    <FilterPanel
      error={error}
      fields={[...NARROWING, 'area']}
      isSet={isFiltered(chosen, NARROWING)}
      summary={chosen.area === undefined ? '' : `: area ${chosen.area}`}
      clearAt={auditLogPath()}
      kept={<KeptPreset chosen={chosen} error={error} />}
    >
      <SubjectSelects chosen={chosen} error={error} choices={choices} />
      <Select label="Area" {...choice('area', 'All areas', AREAS.map(same))} />
      <Select
        label="Resource"
        {...choice('resource', 'Any resource', AUDITED_RESOURCES.map(same))}
      />
      <Select label="Method" {...choice('method', 'Any method', METHODS.map(same))} />
      <Input label="Status" {...control('status')} help="Such as 404, 4xx or failed" />
      <Input label="Error code" {...control('error_code')} help="Such as VALIDATION_ERROR" />
      <Input
        label="Record"
        {...control('record_name')}
        help="An order number, SKU or location code"
      />
      <Input label="Record begins with" {...control('record_name_prefix')} help="Sorted by name" />
      <Input
        label="Field at fault"
        {...control('field')}
        help="Ours or the partner's: items[].quantity"
      />
      <Select label="Outcome of deliveries" {...choice('outcome', 'Any', OUTCOMES.map(same))} />
      <Select label="Dry runs" {...choice('dry_run', 'With dry runs', DRY_RUNS)} />
      <TimeInput label="From (UTC)" {...control('from')} />
      <TimeInput label="To (UTC)" {...control('to')} />
    </FilterPanel>
  )
}
