import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import type { ApiError } from '../../engine/errors.ts'
import type { findPair, Pair } from '../../records/inventory/pair.ts'
import { FormButtons } from '../parts/form-buttons.tsx'
import { FormError } from '../parts/form-error.tsx'
import { Input } from '../parts/input.tsx'
import { count } from '../parts/numbers.ts'
import { same } from '../parts/option.ts'
import { Select } from '../parts/select.tsx'
import { historyPath, listPath } from '../paths.ts'
import { showNarrowPage } from '../shell/narrow-page.tsx'
import { ADJUSTMENT_REASONS, type AdjustmentFields } from './form.ts'

const TITLE = 'Adjust stock'

type Found = Awaited<ReturnType<typeof findPair>>

/** Asks which stock, where the address does not say it, or names what is not there. */
export function showChoice(c: Context<AppEnv>, chosen: Partial<Pair>, error: ApiError | null) {
  const control = (name: 'location_code' | 'sku_code') =>
    ({ name, error, value: chosen[name] ?? '', required: true }) as const
  return showNarrowPage(
    c,
    TITLE,
    <form method="get">
      <FormError error={error} />
      <Input label="Location" {...control('location_code')} help="A location's code." />
      <Input label="SKU" {...control('sku_code')} />
      <FormButtons action="Next" back={listPath('inventory')} />
    </form>,
  )
}

interface Shown {
  fields: AdjustmentFields
  found: Found
  error: ApiError | null
  /** The quantity was another when the form was opened. */
  isConflict?: boolean
}

export function showAdjustment(
  c: Context<AppEnv>,
  { fields, found, error, isConflict = false }: Shown,
) {
  const { location_code, sku_code } = fields
  const title = `${TITLE}: ${sku_code} at ${location_code}`
  return showNarrowPage(
    c,
    title,
    <form method="post">
      <FormError error={error} />
      {isConflict && <Conflict fields={fields} now={found.quantity} />}
      <Situation pair={{ location_code, sku_code }} found={found} />
      <input type="hidden" name="location_code" value={location_code} />
      <input type="hidden" name="sku_code" value={sku_code} />
      <input type="hidden" name="shown" value={String(found.quantity ?? '')} />
      <Quantities fields={fields} error={error} />
      <FormButtons action={TITLE} back={listPath('inventory', { location_code, sku_code })} />
    </form>,
  )
}

function Quantities({ fields, error }: Pick<Shown, 'fields' | 'error'>) {
  const control = (name: keyof AdjustmentFields) => ({ name, error, value: fields[name] })
  return (
    <>
      <Input label="Quantity" {...control('quantity')} help="How many there are." />
      <Input
        label="Or the difference"
        {...control('difference')}
        help="Such as -2 for two that are missing, or 12 for twelve more."
      />
      <Select label="Reason" {...control('reason')} options={ADJUSTMENT_REASONS.map(same)} />
      <Input
        label="In words"
        {...control('words')}
        help="The history of the stock shows it. At most 1,000 characters."
      />
    </>
  )
}

function Conflict({ fields, now }: { fields: AdjustmentFields; now: number | null }) {
  return (
    <section class="conflict" role="alert">
      <h2>Another was faster. Nothing of yours was saved, and nothing is lost.</h2>
      <p>
        When you opened this, {formerText(fields.shown)}. {nowText(now)} Correct yours below if you
        need to, and send it again.
      </p>
      <p>
        <a href={historyPath(fields)}>Who has changed it</a>
      </p>
    </section>
  )
}

function Situation({ pair, found }: { pair: Pair; found: Found }) {
  const { quantity, location, product } = found
  return (
    <>
      <p>
        Quantity now: <strong>{quantity === null ? 'no stock record' : count(quantity)}</strong>.{' '}
        <a href={historyPath({ ...pair })}>History of this stock</a>
      </p>
      {product === 0 && <p class="nothing">The product is inactive.</p>}
      {location === 0 && <p class="nothing">The location is inactive.</p>}
    </>
  )
}

function formerText(shown: string): string {
  return shown === '' ? 'there was no record' : `the quantity was ${count(Number(shown))}`
}

function nowText(quantity: number | null): string {
  return quantity === null ? 'There is none now.' : `It is ${count(quantity)} now.`
}
