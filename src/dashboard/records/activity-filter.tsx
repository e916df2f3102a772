import type { ApiError } from '../../errors.ts'
import { type Option, withChosen } from '../controls/option.ts'
import { Select } from '../controls/select.tsx'
import type { Filters } from '../form/chosen.ts'
import { FilterForm } from './filter-form.tsx'

export const ACTIVITY_FIELDS = ['is_active']

const OPTIONS: readonly Option[] = [
  ['', 'Active'],
  ['false', 'Inactive'],
  ['all', 'All'],
]

interface ActivityFilterProps {
  resource: 'products' | 'locations'
  chosen: Filters
  error: ApiError | null
}

/** The filter of a list of products or locations. */
export function ActivityFilter({ resource, chosen, error }: ActivityFilterProps) {
  const { is_active } = chosen
  return (
    <FilterForm resource={resource} fields={ACTIVITY_FIELDS} chosen={chosen} error={error}>
      <Select
        label="Show"
        name="is_active"
        error={error}
        value={is_active ?? ''}
        options={withChosen(OPTIONS, is_active === 'true' ? '' : is_active)}
      />
    </FilterForm>
  )
}
