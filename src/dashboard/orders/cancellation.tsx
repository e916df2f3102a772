import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import type { ApiError } from '../../engine/errors.ts'
import { findOrder } from '../../records/orders/queries.ts'
import { CONFIRMED, type Shape } from '../form/shape.ts'
import { Confirmation } from '../parts/confirmation.tsx'
import { Input } from '../parts/input.tsx'
import { recordPath } from '../paths.ts'
import { addressOf } from '../records/address.ts'
import { showPage } from '../shell/page.tsx'

export const CANCELLATION: Shape = { fields: [CONFIRMED, 'reason'] }

interface Asked {
  reason: string
  error: ApiError | null
}

/** Asks for confirmation, and for a reason, before an order is cancelled. */
export async function showCancellation(c: Context<AppEnv>, id: string, { reason, error }: Asked) {
  const { order_number, status } = await findOrder(c.get('db'), addressOf(c, 'orders', id))
  return showPage(
    c,
    'Cancel order',
    <Confirmation
      question={`Cancel the order “${order_number}”?`}
      action="Cancel order"
      look="danger"
      back={recordPath('orders', id)}
      backText="Keep the order"
      error={error}
    >
      <p>Its status is {status}. The order is kept, and a cancelled order stays cancelled.</p>
      <Input
        label="Reason"
        name="reason"
        value={reason}
        error={error}
        help="Optional, at most 1,000 characters."
      />
    </Confirmation>,
  )
}
