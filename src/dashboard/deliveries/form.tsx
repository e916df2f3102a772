import type { ApiError } from '../../engine/errors.ts'
import type { WaitingWebhook } from '../../requests/deliveries/webhooks.ts'
import { FilterPanel } from '../parts/filter-panel.tsx'
import { Input } from '../parts/input.tsx'
import { type Option, withChosen } from '../parts/option.ts'
import { Select } from '../parts/select.tsx'
import { DELIVERIES_PATH, type PageFilters } from '../paths.ts'
import { TimeInput } from '../ranges/time-input.tsx'
import { isFiltered } from '../records/filter-form.tsx'
import { NEED_OPTIONS } from './words.ts'

export const FILTERS = [
  ...['webhook_id', 'partner_id', 'needs', 'needs_code', 'record', 'from', 'to'],
] as const

interface FormProps {
  chosen: PageFilters
  error: ApiError | null
  /** Those of which deliveries wait, as far as the session's key may see their names. */
  webhooks: WaitingWebhook[]
}

export function DeliveryFilterForm({ chosen, error, webhooks }: FormProps) {
  const control = (name: string) => ({ name, error, value: chosen[name] ?? '' })
  const choice = (name: string, offered: readonly Option[]) => ({
    ...control(name),
    options: withChosen(offered, chosen[name]),
  })
  const partners = new Map(
    webhooks.map(({ partner_id, partner_name }) => [partner_id, partner_name]),
  )
  return (
    <FilterPanel
      error={error}
      fields={FILTERS}
      isSet={isFiltered(chosen, FILTERS)}
      clearAt={DELIVERIES_PATH}
    >
      <Select label="Waits for" {...choice('needs', NEED_OPTIONS)} />
      <Input label="Product or location" {...control('needs_code')} help="A SKU or location code" />
      <Select
        label="Webhook"
        {...choice('webhook_id', [
          ['', 'Any webhook'],
          ...webhooks.map(({ id, name }) => [id, name] as const),
        ])}
      />
      <Select label="Partner" {...choice('partner_id', [['', 'Any partner'], ...partners])} />
      <Input label="Record" {...control('record')} help="An order number, SKU or location code" />
      <TimeInput label="Arrived from (UTC)" {...control('from')} />
      <TimeInput label="Arrived before (UTC)" {...control('to')} />
    </FilterPanel>
  )
}
