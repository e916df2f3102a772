import type { ApiError } from '../../engine/errors.ts'
import { ORDER_STATUSES } from '../../engine/model/order.ts'
import type { Choices } from '../form/choices.ts'
import { Input } from '../parts/input.tsx'
import { same, withChosen } from '../parts/option.ts'
import { Select } from '../parts/select.tsx'
import { PartnerFilter } from '../parts/subject-selects.tsx'
import type { PageFilters } from '../paths.ts'
import { TimeInput } from '../ranges/time-input.tsx'
import { ListFilterForm } from '../records/filter-form.tsx'

export const FIELDS = [
  'status',
  'partner_id',
  'external_order_id',
  'created_from',
  'created_to',
] as const

export const LINES_FORMAT = 'csv-lines'
const FILES = {
  csv: 'Download CSV, a row for each order',
  [LINES_FORMAT]: 'Download CSV, a row for each line of an order',
}

const ONE_OF_THREE = 'One of status, partner and external order id.'

interface OrderFiltersProps {
  chosen: PageFilters
  error: ApiError | null
  partners: Choices['partners']
}

export function OrderFilterInputs({ chosen, error, partners }: OrderFiltersProps) {
  const control = (name: (typeof FIELDS)[number]) => ({ name, error, value: chosen[name] ?? '' })
  const statuses = ORDER_STATUSES.map(same)
  return (
    <ListFilterForm resource="orders" fields={FIELDS} chosen={chosen} error={error} files={FILES}>
      <Select
        label="Status"
        {...control('status')}
        options={withChosen([['', 'Any status'], ...statuses], chosen.status)}
        help={ONE_OF_THREE}
      />
      <PartnerFilter chosen={chosen} error={error} partners={partners} />
      <Input label="External order id" {...control('external_order_id')} />
      <TimeInput label="Created from (UTC)" {...control('created_from')} />
      <TimeInput label="Created to (UTC)" {...control('created_to')} />
    </ListFilterForm>
  )
}
