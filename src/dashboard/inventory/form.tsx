import type { ApiError } from '../../engine/errors.ts'
import { Input } from '../parts/input.tsx'
import type { Filters } from '../paths.ts'
import { FilterForm } from '../records/filter-form.tsx'

export const FIELDS = ['location_code', 'sku_code', 'quantity_below'] as const

export function StockFilters({ chosen, error }: { chosen: Filters; error: ApiError | null }) {
  const control = (name: (typeof FIELDS)[number]) => ({ name, error, value: chosen[name] ?? '' })
  return (
    <FilterForm resource="inventory" fields={FIELDS} chosen={chosen} error={error}>
      <Input label="Location" {...control('location_code')} help="A location's code." />
      <Input label="SKU" {...control('sku_code')} />
      <Input
        label="Quantity below"
        {...control('quantity_below')}
        help="Beside a location or a SKU."
      />
    </FilterForm>
  )
}
