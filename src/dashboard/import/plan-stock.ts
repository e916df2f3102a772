import { unguarded } from '../../engine/answers/csv.ts'
import type { TenantDatabase } from '../../engine/db/transact.ts'
import type { FieldErrors } from '../../engine/errors.ts'
import { fieldErrors, messageOf } from '../../engine/json/messages.ts'
import { findPairs, type StoredPair } from '../../records/inventory/pair.ts'
import { StockRow } from '../../records/inventory/schema.ts'
import { count } from '../parts/numbers.ts'
import { wholeNumber } from '../record-form/texts.ts'
import type { CarriedStock } from './carried.ts'
import { namesMeant } from './meant.ts'
import { addEffect, inOrder, newPlan, type Plan, refuseRow } from './plan.ts'
import type { Sheet, SheetForm, SheetRow } from './sheet.ts'

export const STOCK_MAX = 50_000
const ROW_STEPS = 1_000

const COLUMNS = ['location_code', 'sku_code', 'quantity'] as const

export const STOCK_SHEET: SheetForm = { columns: COLUMNS, needed: COLUMNS, rowsMax: STOCK_MAX }

interface ReadRow {
  row: SheetRow
  stock: StockRow
}

/** What a table would do to the stock. Reads it, and writes nothing. */
export async function planStock(db: TenantDatabase, sheet: Sheet): Promise<Plan<CarriedStock>> {
  const plan = newPlan<CarriedStock>(sheet)
  const read = await readRows(db, plan)
  const found = await findPairs(
    db,
    read.map(({ stock }) => stock),
  )
  const inactive = new Set<string>()
  for (const [at, one] of read.entries()) {
    await db.pace.spent(ROW_STEPS)
    const stored = found[at] ?? { quantity: null, location: null, product: null }
    if (refuseRow(plan, one.row, unknownIn(one, stored))) continue
    addRow(plan, one, stored)
    if (stored.location === 0) inactive.add(`The location ${one.stock.location_code}`)
    if (stored.product === 0) inactive.add(`The product ${one.stock.sku_code}`)
  }
  plan.notes.push(...notesOn([...inactive]))
  return inOrder(plan)
}

async function readRows(db: TenantDatabase, plan: Plan<unknown>): Promise<ReadRow[]> {
  const { rows } = plan.sheet
  const cellsOf = (name: string) => rows.map(({ cells }) => cells[name] ?? '')
  const locationMeant = await namesMeant(db, 'locations', cellsOf('location_code'))
  const productMeant = await namesMeant(db, 'products', cellsOf('sku_code'))
  const firsts = new Map<string, number>()
  const read: ReadRow[] = []
  for (const row of rows) {
    await db.pace.spent(ROW_STEPS)
    const { location_code = '', sku_code = '', quantity = '' } = row.cells
    const { value, fault } = quantityIn(quantity)
    const { data, error } = StockRow.safeParse(
      {
        location_code: locationMeant(location_code),
        sku_code: productMeant(sku_code),
        quantity: value,
      },
      { error: messageOf },
    )
    const pair = JSON.stringify([data?.location_code, data?.sku_code])
    const first = data && firsts.get(pair)
    if (data) firsts.set(pair, first ?? row.number)
    if (!data) {
      refuseRow(plan, row, { ...fieldErrors(error.issues), ...(fault && { quantity: [fault] }) })
    } else if (first !== undefined) {
      refuseRow(plan, row, {
        '': [`Row ${first} has the same location and SKU: name them once.`],
      })
    } else read.push({ row, stock: data })
  }
  return read
}

function quantityIn(cell: string): { value?: number; fault?: string } {
  return cell === '' ? {} : wholeNumber(unguarded(cell))
}

function unknownIn({ stock }: ReadRow, { location, product }: StoredPair): FieldErrors {
  return {
    ...(location === null && {
      location_code: [`No location has the code "${stock.location_code}".`],
    }),
    ...(product === null && { sku_code: [`No product has the SKU "${stock.sku_code}".`] }),
  }
}

function addRow(
  plan: Plan<CarriedStock>,
  { row, stock }: ReadRow,
  { quantity: was }: StoredPair,
): void {
  const { location_code, sku_code, quantity } = stock
  // Rows that stay as they are go along: if somebody changes them meanwhile, the result says so.
  plan.rows.push([row.number, location_code, sku_code, quantity, was])
  if (was === quantity) {
    plan.same += 1
    return
  }
  if (was === null) plan.created += 1
  else plan.changed += 1
  const text = was === null ? `new: ${count(quantity)}` : `${count(was)} → ${count(quantity)}`
  addEffect(plan, { row: row.number, name: `${sku_code} at ${location_code}`, text })
}

const NAMED_MAX = 10

function notesOn(inactive: string[]): string[] {
  const named = inactive.slice(0, NAMED_MAX).map((what) => `${what} is inactive.`)
  const more = inactive.length - named.length
  return more > 0 ? [...named, `${count(more)} more are inactive.`] : named
}
