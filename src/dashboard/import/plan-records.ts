import { guarded, unguarded } from '../../engine/answers/csv.ts'
import type { TenantDatabase } from '../../engine/db/transact.ts'
import { ApiError, type FieldErrors } from '../../engine/errors.ts'
import { labelOf } from '../../engine/model/record.ts'
import {
  type ComparedRecord,
  comparedNames,
  compareRecords,
  readTexts,
} from '../../records/catalogue/compare.ts'
import type { Kind } from '../../records/catalogue/kind.ts'
import { createBody, type Texts, updateBody } from '../record-form/texts.ts'
import type { CarriedRecord } from './carried.ts'
import { namesMeant } from './meant.ts'
import { addEffect, inOrder, newPlan, PLANNED_MAX, type Plan, refuseRow } from './plan.ts'
import { plainCell, type Sheet, type SheetForm, type SheetRow } from './sheet.ts'

export const IMPORTED_MAX = 10_000
const ROW_STEPS = 2_000

/** The table of such records: their fields, in the order of an export. */
export function sheetOfRecords(kind: Kind): SheetForm {
  const { key } = kind.record
  return { columns: ['id', key, ...comparedNames(kind)], needed: [key], rowsMax: IMPORTED_MAX }
}

/** A row that is right by itself. */
interface ReadRow {
  row: SheetRow
  name: string
  /** The cells in which something stands, as they are meant. */
  texts: Texts
  /** The fields of a PUT: as they are meant, and as they stand there if that can be meant, too. */
  fields: Record<string, unknown>[]
}

/** What a table would do to records. Reads them, and writes nothing. */
export async function planRecords(
  db: TenantDatabase,
  kind: Kind,
  sheet: Sheet,
): Promise<Plan<CarriedRecord>> {
  const plan = newPlan<CarriedRecord>(sheet)
  const read = await readRows(db, kind, plan)
  const said = read.map(({ name, fields }, at) => ({ at, name, fields }))
  const found = await compareRecords(db, kind, said)
  await passOverGuards(db, kind, read, found)
  const changes: { read: ReadRow; found: ComparedRecord }[] = []
  for (const [at, one] of read.entries()) {
    await db.pace.spent(ROW_STEPS)
    const stored = found.get(at)
    const faults = stored ? idFaults(kind, one, stored) : newFaults(kind, one)
    if (refuseRow(plan, one.row, faults)) continue
    if (!stored) addNew(plan, kind, one)
    else if (stored.differing.length === 0) plan.same += 1
    else changes.push({ read: one, found: stored })
  }
  const first = changes.slice(0, PLANNED_MAX).map(({ found }) => found.id)
  const before = await readTexts(db, kind, first, TEXT_SHOWN_MAX + 1)
  for (const change of changes) addChange(plan, kind, change.read, change.found, before)
  plan.effects.sort((a, b) => a.row - b.row)
  plan.rows.sort(([a], [b]) => a - b)
  return inOrder({ ...plan, effects: plan.effects.slice(0, PLANNED_MAX) })
}

/** So many records are read whole at a time. */
const WHOLE_MAX = 40
/** More than a field has. */
const TEXT_LENGTH_MAX = 70_000

/**
 * A cell of which only some places were guarded can be meant in many ways. It is the same if the stored text, guarded,
 * is this cell.
 */
async function passOverGuards(
  db: TenantDatabase,
  kind: Kind,
  read: ReadRow[],
  found: Map<number, ComparedRecord>,
): Promise<void> {
  const open = read.flatMap(({ row, fields }, at) => {
    const stored = fields.length > 1 ? found.get(at) : undefined
    return stored && stored.differing.length > 0 ? [{ row, stored }] : []
  })
  for (let at = 0; at < open.length; at += WHOLE_MAX) {
    const some = open.slice(at, at + WHOLE_MAX)
    const ids = some.map(({ stored }) => stored.id)
    const texts = await readTexts(db, kind, ids, TEXT_LENGTH_MAX)
    for (const { row, stored } of some) {
      const whole = texts.get(stored.id)
      const isOther = (name: string) =>
        plainCell(guarded(whole?.[name] ?? '')) !== (row.cells[name] ?? '')
      stored.differing = stored.differing.filter(isOther)
      await db.pace.spent(Object.values(whole ?? {}).join('').length)
    }
  }
}

/** The rows that are right by themselves; the others are faults of the plan. */
async function readRows(db: TenantDatabase, kind: Kind, plan: Plan<unknown>): Promise<ReadRow[]> {
  const { resource, record } = kind
  const { rows } = plan.sheet
  const cellOf = ({ cells }: SheetRow) => cells[record.key] ?? ''
  const meant = await namesMeant(db, resource, rows.map(cellOf))
  const firsts = new Map<string, number>()
  const read: ReadRow[] = []
  for (const row of rows) {
    await db.pace.spent(ROW_STEPS)
    const name = meant(cellOf(row))
    const { texts, fields, faults: fieldFaults } = fieldsIn(kind, row)
    const faults = { ...fieldFaults, ...faultsOfName(kind, name, firsts.get(name)) }
    firsts.set(name, firsts.get(name) ?? row.number)
    if (!refuseRow(plan, row, faults)) read.push({ row, name, texts, fields })
  }
  return read
}

function faultsOfName({ record }: Kind, name: string, first: number | undefined): FieldErrors {
  const { key, one } = record
  if (name === '') return { [key]: [`Say which ${one} it is.`] }
  if (first !== undefined) return { [key]: [`Row ${first} has the same ${one}: name it once.`] }
  const faults = faultsOf(() => createBody(record, { [key]: name }))
  return faults[key] ? { [key]: faults[key] } : {}
}

/** The fields in which something stands, and what is wrong with them. */
function fieldsIn(kind: Kind, { cells }: SheetRow) {
  const filled = comparedNames(kind).filter((name) => (cells[name] ?? '') !== '')
  const textsBy = (meant: (cell: string) => string): Texts =>
    Object.fromEntries(filled.map((name) => [name, meant(cells[name] ?? '')]))
  const texts = textsBy(unguarded)
  const { fields, faults } = bodyOf(kind, texts)
  if (filled.every((name) => texts[name] === cells[name]))
    return { texts, fields: [fields], faults }
  const literal = bodyOf(
    kind,
    textsBy((cell) => cell),
  )
  return { texts, fields: [fields, literal.fields], faults }
}

/** The fields of a PUT; without any if something is wrong with them. */
function bodyOf({ record }: Kind, texts: Texts) {
  let fields: Record<string, unknown> = {}
  const faults = faultsOf(() => {
    fields = updateBody(record, texts, {})
  })
  return { fields, faults }
}

/** Only we give ids. */
function idFaults({ record }: Kind, { row }: ReadRow, { id }: ComparedRecord): FieldErrors {
  const said = row.cells.id ?? ''
  if (said === '' || said === id) return {}
  return { id: [`The ${record.one} has another id: leave this cell empty.`] }
}

function newFaults({ record }: Kind, { row, name, texts }: ReadRow): FieldErrors {
  const { one, key, fields } = record
  const said = row.cells.id ?? ''
  const faults = faultsOf(() => createBody(record, { ...texts, [key]: name }))
  const inactive = Object.entries(texts).filter(
    ([field, text]) =>
      fields[field]?.create === null &&
      fields[field].kind === 'flag' &&
      text.toLowerCase() === 'false',
  )
  return {
    ...faults,
    ...Object.fromEntries(
      inactive.map(([field]) => [field, [`A new ${one} is active: leave this cell empty.`]]),
    ),
    ...(said !== '' && { id: [`No ${one} is there, and a new one gets an id of its own.`] }),
  }
}

function addNew(plan: Plan<CarriedRecord>, kind: Kind, { row, name, texts }: ReadRow): void {
  plan.created += 1
  const values = Object.entries(texts).map(([field, text]) => {
    return `${labelOf(kind.record, field)} ${shortText(text)}`
  })
  addEffect(plan, { row: row.number, name, text: ['new', ...values].join(', ') })
  const cells = comparedNames(kind).map((field) => texts[field] ?? '')
  plan.rows.push([row.number, '', name, ...cells])
}

function addChange(
  plan: Plan<CarriedRecord>,
  kind: Kind,
  { row, name, texts }: ReadRow,
  { id, version, differing }: ComparedRecord,
  beginnings: Map<string, Record<string, string | null>>,
): void {
  plan.changed += 1
  for (const field of differing) {
    const label = labelOf(kind.record, field)
    plan.fields.set(label, (plan.fields.get(label) ?? 0) + 1)
  }
  const before = beginnings.get(id)
  if (before) {
    const changes = differing.map((field) => {
      const from = shownBefore(kind, field, before[field] ?? null)
      return `${labelOf(kind.record, field)}: ${from} → ${shortText(texts[field] ?? '')}`
    })
    plan.effects.push({ row: row.number, name, text: changes.join(', ') })
  }
  const cells = comparedNames(kind).map((field) =>
    differing.includes(field) ? (texts[field] ?? '') : '',
  )
  plan.rows.push([row.number, version, name, ...cells])
}

function shownBefore({ record }: Kind, field: string, stored: string | null): string {
  if (stored === null || stored === '') return 'nothing'
  if (record.fields[field]?.kind === 'flag') return stored === '1' ? 'true' : 'false'
  return shortText(stored)
}

const TEXT_SHOWN_MAX = 50

function shortText(text: string): string {
  return text.length <= TEXT_SHOWN_MAX ? text : `${text.slice(0, TEXT_SHOWN_MAX).toWellFormed()}…`
}

/** What is wrong with what is done, by field. */
function faultsOf(act: () => unknown): FieldErrors {
  try {
    act()
    return {}
  } catch (error) {
    if (error instanceof ApiError && error.details.fields) return error.details.fields
    throw error
  }
}
