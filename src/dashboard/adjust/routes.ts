import { type Context, Hono } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import { type ApiError, type FieldErrors, invalid } from '../../engine/errors.ts'
import { requireScope } from '../../middleware/require-scope.ts'
import { check } from '../../middleware/validate.ts'
import { findPair, type Pair } from '../../records/inventory/pair.ts'
import { receiveUpload } from '../../records/inventory/receive.ts'
import { filtersOf } from '../form/chosen.ts'
import { formOf } from '../form/read.ts'
import { listPath } from '../paths.ts'
import { asClient } from '../records/as-client.ts'
import { redirectDone } from '../shell/notice.ts'
import {
  ADJUSTMENT,
  Adjustment,
  type AdjustmentFields,
  adjustmentFieldsOf,
  adjustmentInput,
  NO_ADJUSTMENT,
} from './form.ts'
import { showAdjustment, showChoice } from './page.tsx'

/** The page that changes the stock of one product at one location by hand. */
export const adjustPages = new Hono<AppEnv>()

adjustPages.use(
  asClient,
  requireScope('integrations.inventory.read'),
  requireScope('integrations.inventory.write'),
)

adjustPages.get('/', async (c) => {
  const chosen = filtersOf(c)
  const { location_code, sku_code } = chosen
  if (location_code === undefined || sku_code === undefined) return showChoice(c, chosen, null)
  return await showNow(c, newFields({ location_code, sku_code }), null)
})

adjustPages.post('/', async (c) => {
  const form = await formOf(c, ADJUSTMENT, (sent, error) =>
    showNow(c, adjustmentFieldsOf(sent), error),
  )
  const { row, notes } = check(Adjustment, adjustmentInput(form))
  const { result } = await receiveUpload(c, {
    inventory: [row],
    source: 'manual_adjustment',
    notes,
  })
  const [refused] = result.errors
  if (refused) return await showRefused(c, adjustmentFieldsOf(form), refused.errors)
  const { location_code, sku_code } = row
  return redirectDone(c, listPath('inventory', { location_code, sku_code }), 'stock-adjusted')
})

function newFields(pair: Pair): AdjustmentFields {
  return { ...NO_ADJUSTMENT, ...pair }
}

/** The form with the quantity of now. */
async function showNow(c: Context<AppEnv>, fields: AdjustmentFields, error: ApiError | null) {
  const found = await findPair(c.get('db'), fields)
  const unknown = unknownIn(found)
  return unknown
    ? showChoice(c, pairOf(fields), unknown)
    : showAdjustment(c, { fields, found, error })
}

/** The upload is made, and its row has failed: the quantity was not what was shown, or a code is unknown. */
async function showRefused(c: Context<AppEnv>, fields: AdjustmentFields, errors: FieldErrors) {
  if (!('if_quantity' in errors)) return showChoice(c, pairOf(fields), invalid(errors))
  const found = await findPair(c.get('db'), fields)
  return showAdjustment(c, { fields, found, error: null, isConflict: true })
}

function pairOf({ location_code, sku_code }: AdjustmentFields): Pair {
  return { location_code, sku_code }
}

function unknownIn({ location, product }: Awaited<ReturnType<typeof findPair>>): ApiError | null {
  if (location !== null && product !== null) return null
  return invalid({
    ...(location === null && { location_code: ['No location has this code.'] }),
    ...(product === null && { sku_code: ['No product has this SKU.'] }),
  })
}
