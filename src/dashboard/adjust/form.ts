import * as z from 'zod'
import { byName } from '../../engine/json/by-name.ts'
import { boundedText, Integer, Name, Quantity } from '../../engine/json/fields.ts'
import type { Form } from '../form/form.ts'
import type { Shape } from '../form/shape.ts'

/** Why people change stock by hand. */
export const ADJUSTMENT_REASONS = ['Counted', 'Damaged', 'Received', 'Returned', 'Other'] as const

const FIELDS = [
  'location_code',
  'sku_code',
  'shown',
  'quantity',
  'difference',
  'reason',
  'words',
] as const

export const ADJUSTMENT: Shape = { fields: FIELDS }

/** The form's fields as texts. `shown` is the quantity that the page has shown, empty for no record. */
export type AdjustmentFields = Record<(typeof FIELDS)[number], string>

export const NO_ADJUSTMENT: AdjustmentFields = {
  ...byName(FIELDS, () => ''),
  reason: ADJUSTMENT_REASONS[0],
}

export function adjustmentFieldsOf(form: Form): AdjustmentFields {
  return byName(FIELDS, (name) => form.text(name))
}

const Shown = Quantity.min(0).nullable()

const Sent = z.object({
  location_code: Name.min(1),
  sku_code: Name.min(1),
  shown: Shown,
  quantity: Quantity.min(0).nullable(),
  difference: Integer.nullable(),
  reason: z.enum(ADJUSTMENT_REASONS),
  words: boundedText(1000),
})

/** What the form asks for: one row of an upload, whose condition is that the quantity is still what was shown. */
export const Adjustment = Sent.superRefine((sent, context) => {
  for (const [field, message] of faultsOf(sent)) {
    context.addIssue({ code: 'custom', path: [field], message })
  }
}).transform(({ location_code, sku_code, shown, quantity, difference, reason, words }) => ({
  row: {
    location_code,
    sku_code,
    quantity: quantity ?? (shown ?? 0) + (difference ?? 0),
    if_quantity: shown,
  },
  notes: words === '' ? reason : `${reason}: ${words}`,
}))

type Fault = [field: keyof AdjustmentFields, message: string]

function faultsOf({ shown, quantity, difference, reason, words }: z.output<typeof Sent>): Fault[] {
  const faults: Fault[] = []
  if (quantity === null && difference === null)
    faults.push(['quantity', 'Say how many there are, or the difference.'])
  if (quantity !== null && difference !== null)
    faults.push(['difference', 'Leave this empty, or the quantity.'])
  const left = (shown ?? 0) + (difference ?? 0)
  if (quantity === null && difference !== null && !Quantity.min(0).safeParse(left).success)
    faults.push(['difference', `There are ${shown ?? 0}: it would be ${left}.`])
  if (reason === 'Other' && words === '') faults.push(['words', 'Say why.'])
  return faults
}

/** The form as input for Adjustment. */
export function adjustmentInput(form: Form) {
  return {
    ...adjustmentFieldsOf(form),
    shown: form.number('shown'),
    quantity: form.number('quantity'),
    difference: signed(form),
  }
}

/** `+3` is 3. */
function signed(form: Form) {
  const text = form.text('difference')
  return /^\+\d{1,10}$/.test(text) ? Number(text) : form.number('difference')
}
