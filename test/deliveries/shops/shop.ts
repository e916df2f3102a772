import { type Clock, type Dice, HOUR, MINUTE } from './clock.ts'

/** What a shop needs of the world. */
export interface Outside {
  clock: Clock
  dice: Dice
  /** The status of the answer; null if there is none after so many ms. */
  send: (request: Request, msMax: number) => Promise<number | null>
  /** What is sold. */
  skus: string[]
}

/** What customers and the people of the shop do with an order. */
export type Change =
  | 'place'
  | 'pay'
  | 'save'
  | 'rename'
  | 'note'
  | 'edit_lines'
  | 'refund_part'
  | 'refund'
  | 'cancel'
  | 'complete'
  | 'delete'

/** What the shop says of an order in the end. */
export interface Said {
  order_number: string
  /** `unpaid` and `gone`: there is nothing to ship, and perhaps no order here. */
  state: 'unpaid' | 'open' | 'shipped' | 'cancelled' | 'gone'
  customer_name: string
  notes: string | null
  lines: { sku: string; quantity: number }[]
}

export const NAMES = ['Ada Byron', 'Grace Hopper', 'Edith Clarke', 'Mary Jackson', 'Zoë Ünver']
export const NOTES = ['Leave it on the porch.', 'Ring twice.', 'Hinterhaus, 3. Stock']

/** What is changed later would be delivered when nobody looks any more. */
const LAST_CHANGE_MS = 7 * HOUR

/** Plans the life of one order: when it is placed, paid, changed and ended. */
export function planLife(
  { clock, dice }: Outside,
  placedAt: number,
  act: (change: Change) => void,
) {
  let at = placedAt
  const then = (change: Change, within = HOUR) => {
    at += dice.below(within)
    if (at < LAST_CHANGE_MS) clock.after(at, () => act(change))
  }
  then('place', MINUTE)
  if (dice.chance(0.05)) return
  then('pay', 5 * MINUTE)
  const middle: Change[] = ['save', 'rename', 'note', 'rename', 'edit_lines', 'refund_part']
  for (let left = dice.below(4); left > 0; left--) then(dice.of(middle))
  const end = dice.roll()
  if (end < 0.15) then('cancel')
  else if (end < 0.25) then('refund')
  else if (end < 0.35) then('delete')
  else if (end < 0.5) then('complete')
  if (end > 0.35 && end < 0.37) then('refund')
}
