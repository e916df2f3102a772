import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import type { Pair } from '../../records/inventory/pair.ts'
import { may } from '../access.ts'
import { RowLink } from '../parts/row-link.tsx'
import { adjustPath } from '../paths.ts'

/** Whether the session's key may change stock. */
export function mayAdjust(c: Context<AppEnv>): boolean {
  return may(c, 'integrations.inventory.read') && may(c, 'integrations.inventory.write')
}

/** The cell of a row of stock that leads to its adjustment. */
export function AdjustCell({ row }: { row: Pair }) {
  const { location_code, sku_code } = row
  return (
    <td class="row-actions">
      <RowLink
        href={adjustPath({ location_code, sku_code })}
        text="Adjust"
        of={`${sku_code} at ${location_code}`}
      />
    </td>
  )
}
