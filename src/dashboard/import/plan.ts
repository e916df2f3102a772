import type { Sheet, SheetFault } from './sheet.ts'

/** So many wrong cells, and so many effects, are shown. */
export const PLANNED_MAX = 100

/** What a row would do to its record. */
export interface Effect {
  row: number
  /** What the record is called. */
  name: string
  /** Such as `new`, or `cost: 3.20 → 4`. */
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
  effects: Effect[]
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

/** The row of a file is wrong. */
export function addFaults(plan: Plan<unknown>, faults: SheetFault[]): void {
  plan.wrong += 1
  const room = Math.max(0, PLANNED_MAX - plan.faults.length)
  plan.faults.push(...faults.slice(0, room))
  plan.faultsMore += Math.max(0, faults.length - room)
}

export function addEffect(plan: Plan<unknown>, effect: Effect): void {
  if (plan.effects.length < PLANNED_MAX) plan.effects.push(effect)
}

/** Faults are found in several passes over the rows. */
export function inOrder<Row>(plan: Plan<Row>): Plan<Row> {
  return { ...plan, faults: plan.faults.toSorted((a, b) => a.row - b.row) }
}
