import { cellPlace } from '../../engine/formats/csv-cells.ts'
import { Confirmed } from '../parts/confirmation.tsx'
import { count } from '../parts/numbers.ts'
import { Records } from '../parts/records.tsx'
import { Tally } from '../parts/tally.tsx'
import { importRunPath } from '../paths.ts'
import { RecordLink } from '../records/record-link.tsx'
import { HiddenFields } from '../run/progress.tsx'
import type { ImportPages } from './pages.ts'
import { PLANNED_MAX, type Plan, type RowText } from './plan.ts'
import type { Sheet } from './sheet.ts'

const PREVIEW_ROWS = 5
const CELL_SHOWN_MAX = 60

interface PlannedProps {
  pages: ImportPages
  plan: Plan<unknown>
  /** Of the form that imports the rows that are right. */
  fields: Record<string, string>
  /** The ids of the records that the plan names, by name; none of stock, whose rows name two records. */
  ids: Map<string, string>
}

/** What a table would do. Nothing has changed yet. */
export function PlanSummary({ pages, plan, fields, ids }: PlannedProps) {
  const { created, changed, same, wrong, notes } = plan
  const isDue = created + changed > 0
  return (
    <>
      <section aria-label="Result of the check">
        <p class={`verdict ${wrong === 0 ? 'good' : 'bad'}`} role="status">
          {verdictOf(pages, plan)} Nothing has changed yet.
        </p>
        <Tally
          totals={{ Created: created, Changed: changed, 'Stay as they are': same, Wrong: wrong }}
        />
        <ChangedFields fields={plan.fields} />
        {notes.map((note) => (
          <p class="nothing">{note}</p>
        ))}
        {isDue && <ImportForm pages={pages} plan={plan} fields={fields} />}
        {wrong > 0 && (
          <p class="row-links">
            <a href="#table">Correct the table</a>
          </p>
        )}
      </section>
      <Wrong plan={plan} />
      <Effects pages={pages} plan={plan} ids={ids} />
      <Preview sheet={plan.sheet} />
    </>
  )
}

function ImportForm({ pages, plan: { rows, wrong }, fields }: Omit<PlannedProps, 'ids'>) {
  const what = `Import ${count(rows.length)} ${rows.length === 1 ? 'row' : 'rows'}`
  return (
    <form method="post" action={importRunPath(pages.resource)}>
      <Confirmed />
      <HiddenFields fields={fields} />
      <div class="buttons">
        <button type="submit">{wrong > 0 ? `${what}, without the wrong ones` : what}</button>
      </div>
    </form>
  )
}

function verdictOf({ many }: ImportPages, plan: Plan<unknown>): string {
  const { created, changed, same, wrong } = plan
  const right = created + changed + same
  const due = `${count(created)} would be created and ${count(changed)} changed.`
  if (right === 0) return 'No row can be imported.'
  if (created + changed === 0) return `There is nothing to import: all ${many} are as it says.`
  if (wrong === 0) return `Of ${count(right)} ${many}, ${due}`
  return `${wrongOf(wrong, right + wrong)} wrong, and would be left out. Of the others, ${due}`
}

function wrongOf(wrong: number, rows: number): string {
  return `${count(wrong)} of ${count(rows)} rows ${wrong === 1 ? 'is' : 'are'}`
}

function ChangedFields({ fields }: Pick<Plan<unknown>, 'fields'>) {
  if (fields.size === 0) return null
  const texts = [...fields].map(([label, records]) => `${label} (${count(records)})`)
  return <p>Fields that change: {texts.join(', ')}.</p>
}

function Wrong({ plan: { faults, faultsMore } }: { plan: Plan<unknown> }) {
  if (faults.length === 0) return null
  return (
    <section>
      <h2>What is wrong</h2>
      <Records columns={['Where', 'Why']}>
        {faults.map((fault) => (
          <tr>
            <th scope="row">{cellPlace(fault)}</th>
            <td data-label="Why" class="free">
              {fault.message}
            </td>
          </tr>
        ))}
      </Records>
      {faultsMore > 0 && <p class="nothing">{`${count(faultsMore)} more are not shown.`}</p>}
    </section>
  )
}

function Effects({ pages, plan, ids }: Omit<PlannedProps, 'fields'>) {
  const { effects, created, changed } = plan
  if (effects.length === 0) return null
  return (
    <section>
      <h2>What would change</h2>
      <RowTexts resource={pages.resource} rows={effects} column="What" ids={ids} />
      {created + changed > effects.length && (
        <p class="nothing">{`These are the first ${PLANNED_MAX} of ${count(created + changed)}.`}</p>
      )}
    </section>
  )
}

interface RowTextsProps extends Pick<PlannedProps, 'ids'> {
  resource: ImportPages['resource']
  rows: RowText[]
  /** What the texts are. */
  column: string
}

/** Rows of a table, each with its record, which is linked if it is there. */
export function RowTexts({ resource, rows, column, ids }: RowTextsProps) {
  return (
    <Records columns={['Row', 'Record', column]}>
      {rows.map(({ row, name, text }) => (
        <tr>
          <td data-label="Row">{row}</td>
          <th scope="row">
            {resource === 'inventory' ? (
              name
            ) : (
              <RecordLink resource={resource} name={name} ids={ids} />
            )}
          </th>
          <td data-label={column} class="free">
            {text}
          </td>
        </tr>
      ))}
    </Records>
  )
}

/** The first rows, as they were read: whether separators and letters are right. */
function Preview({ sheet: { heads, rows } }: { sheet: Sheet }) {
  const names = [...heads.keys()]
  const shown = rows.slice(0, PREVIEW_ROWS)
  return (
    <section>
      <h2>The first rows</h2>
      <Records columns={['Row', ...heads.values()]}>
        {shown.map(({ number, cells }) => (
          <tr>
            <th scope="row">{number}</th>
            {names.map((name) => (
              <td data-label={heads.get(name)} class="free">
                {shortCell(cells[name] ?? '')}
              </td>
            ))}
          </tr>
        ))}
      </Records>
    </section>
  )
}

function shortCell(cell: string): string {
  if (cell === '') return '—'
  return cell.length <= CELL_SHOWN_MAX ? cell : `${cell.slice(0, CELL_SHOWN_MAX).toWellFormed()}…`
}
