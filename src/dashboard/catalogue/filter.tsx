import type { ApiError } from '../../engine/errors.ts'
import type { Kind } from '../../records/catalogue/kind.ts'
import { Input } from '../parts/input.tsx'
import { type Option, withChosen } from '../parts/option.ts'
import { Select } from '../parts/select.tsx'
import type { PageFilters } from '../paths.ts'
import { ListFilterForm } from '../records/filter-form.tsx'
import { headingOf } from './values.ts'

/** The filters of a list's page. By its name a record is searched. */
export function filterFields({ record }: Kind): string[] {
  const ofStock = record.many === 'products' ? ['without_stock'] : []
  return ['is_active', ...record.filters.filter((name) => name !== record.key), ...ofStock]
}

const OPTIONS: readonly Option[] = [
  ['', 'Active'],
  ['false', 'Inactive'],
  ['all', 'All'],
]

const STOCK_OPTIONS: readonly Option[] = [
  ['', 'With or without'],
  ['true', 'Without stock at any location'],
]

interface CatalogueFilterProps {
  kind: Kind
  chosen: PageFilters
  error: ApiError | null
}

export function CatalogueFilter({ kind, chosen, error }: CatalogueFilterProps) {
  const { is_active } = chosen
  const fields = filterFields(kind)
  return (
    <ListFilterForm resource={kind.resource} fields={fields} chosen={chosen} error={error}>
      <Select
        label="Show"
        name="is_active"
        error={error}
        value={is_active ?? ''}
        options={withChosen(OPTIONS, is_active === 'true' ? '' : is_active)}
      />
      {fields
        .slice(1)
        .map((name) =>
          name === 'without_stock' ? (
            <Select
              label="Stock"
              name={name}
              error={error}
              value={chosen[name] ?? ''}
              options={withChosen(STOCK_OPTIONS, chosen[name])}
            />
          ) : (
            <Input
              label={headingOf(kind.record, name)}
              name={name}
              error={error}
              value={chosen[name] ?? ''}
            />
          ),
        )}
    </ListFilterForm>
  )
}
