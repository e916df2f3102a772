import type { Child } from 'hono/jsx'
import { count } from '../parts/numbers.ts'
import { Records } from '../parts/records.tsx'
import { Tally } from '../parts/tally.tsx'
import { RecordLink } from '../records/record-link.tsx'
import type { ImportPages } from './pages.ts'
import { type Effect, PLANNED_MAX, type Plan } from './plan.ts'
import { faultPlace, type Sheet } from './sheet.ts'

const PREVIEW_ROWS = 5
const CELL_SHOWN_MAX = 60

interface PlannedProps {
  pages: ImportPages
  plan: Plan<unknown>
  /** What imports the rows that are right. */
  form: Child
  /** The ids of the records by name; null of stock, whose rows name two records. */
  ids: Map<string, string> | null
}

/** What a table would do. Nothing has changed yet. */
export function PlanSummary({ pages, plan, form, ids }: PlannedProps) {
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
        {isDue && form}
        {wrong > 0 && (
          <p class="row-links">
            <a href="#table">Correct the table</a>
          </p>
        )}
      </section>
      <Wrong plan={plan} />
      <Effects pages={pages} effects={plan.effects} due={created + changed} ids={ids} />
      <Preview sheet={plan.sheet} />
    </>
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
            <th scope="row">{faultPlace(fault)}</th>
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

interface EffectsProps extends Pick<PlannedProps, 'pages' | 'ids'> {
  effects: Effect[]
  due: number
}

function Effects({ pages, effects, due, ids }: EffectsProps) {
  if (effects.length === 0) return null
  return (
    <section>
      <h2>What would change</h2>
      <Records columns={['Row', 'Record', 'What']}>
        {effects.map(({ row, name, text }) => (
          <tr>
            <td data-label="Row">{row}</td>
            <th scope="row">
              <ImportedName resource={pages.resource} name={name} ids={ids} />
            </th>
            <td data-label="What" class="free">
              {text}
            </td>
          </tr>
        ))}
      </Records>
      {due > effects.length && (
        <p class="nothing">{`These are the first ${PLANNED_MAX} of ${count(due)}.`}</p>
      )}
    </section>
  )
}

interface NameProps extends Pick<PlannedProps, 'ids'> {
  resource: ImportPages['resource']
  name: string
}

/** With a link to the record if it is there. */
export function ImportedName({ resource, name, ids }: NameProps) {
  return resource === 'inventory' || ids === null ? (
    name
  ) : (
    <RecordLink resource={resource} name={name} ids={ids} />
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
