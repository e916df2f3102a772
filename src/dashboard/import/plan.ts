import type { FieldErrors } from '../../engine/errors.ts'
import type { Sheet, SheetFault, SheetRow } from './sheet.ts'

/** So many wrong cells, and so many effects, are shown. */
export const PLANNED_MAX = 100

/** What is said of a row and its record: what the row would do, such as `new` or `cost: 3.20 → 4`, or why it has failed. */
export interface RowText {
  row: number
  /** What the record is called. */
  name: string
  text: string
}

/** A file, and what it would do if it was imported now. `Row` is what the form carries of a row that is right. */
export interface Plan<Row> {
  sheet: Sheet
  created: number
  changed: number
  same: number
  /** Rows that cannot be imported. */
  wrong: number
  /** The first wrong cells, in order. */
  faults: SheetFault[]
  faultsMore: number
  /** The first of what is created and changed, in order. */
  effects: RowText[]
  /** How many records change in each field, by its label. */
  fields: Map<string, number>
  /** What the user should know before, in sentences. */
  notes: string[]
  rows: Row[]
}

export function newPlan<Row>(sheet: Sheet): Plan<Row> {
  return {
    sheet,
    ...{ created: 0, changed: 0, same: 0, wrong: 0 },
    ...{ faults: [], faultsMore: 0, effects: [], fields: new Map(), notes: [], rows: [] },
  }
}

/** Whether the row has errors, by path of our fields; '' for the row as a whole. If so, counts it as wrong and lists them. */
export function refuseRow(plan: Plan<unknown>, { number }: SheetRow, errors: FieldErrors): boolean {
  const faults = Object.entries(errors).map(([path, messages]): SheetFault => {
    const [field = ''] = path.split(/[.[]/)
    const inside = path === field ? '' : `${path.slice(field.length).replace(/^\./, '')}: `
    const column = plan.sheet.heads.get(field) ?? null
    return { row: number, column, message: inside + messages.join(' ') }
  })
  if (faults.length === 0) return false
  plan.wrong += 1
  const room = Math.max(0, PLANNED_MAX - plan.faults.length)
  plan.faults.push(...faults.slice(0, room))
  plan.faultsMore += Math.max(0, faults.length - room)
  return true
}

export function addEffect(plan: Plan<unknown>, effect: RowText): void {
  if (plan.effects.length < PLANNED_MAX) plan.effects.push(effect)
}

/** Faults are found in several passes over the rows. */
export function inOrder<Row>(plan: Plan<Row>): Plan<Row> {
  return { ...plan, faults: plan.faults.toSorted((a, b) => a.row - b.row) }
}
