import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import { capitalized } from '../../engine/model/record.ts'
import { Confirmed } from '../parts/confirmation.tsx'
import { Heading } from '../parts/heading.tsx'
import { count } from '../parts/numbers.ts'
import { Records } from '../parts/records.tsx'
import { Tally } from '../parts/tally.tsx'
import {
  historyPath,
  importPath,
  importRunPath,
  listPath,
  requestPath,
  undoImportPath,
} from '../paths.ts'
import { linkedIds } from '../records/linked.ts'
import { showParts } from '../run/progress.tsx'
import { TabLink } from '../run/results.tsx'
import { showPage } from '../shell/page.tsx'
import { mayUndoImport } from '../undo-import/link.tsx'
import { type CarriedRecord, type CarriedStock, carriedText } from './carried.ts'
import type { StockResult } from './import-stock.ts'
import { showPlan } from './page.tsx'
import type { ImportPages } from './pages.ts'
import type { Plan } from './plan.ts'
import { ImportedName } from './planned.tsx'
import { doneIn, type ImportProgress, type ImportRun, newImport } from './run.ts'

interface Planned<Row> {
  plan: Plan<Row>
  text: string
}

/** What a table of records would do, with the form that imports the rows that are right. */
export function showRecordsPlan(
  c: Context<AppEnv>,
  pages: ImportPages,
  { plan, text }: Planned<CarriedRecord>,
) {
  const form = (
    <form method="post" action={importRunPath(pages.resource)}>
      <Confirmed />
      <ImportFields
        run={newImport(c.get('exchange').request_id, plan.rows)}
        text={carriedText(plan.rows)}
      />
      <ImportButton rows={plan.rows.length} wrong={plan.wrong} />
    </form>
  )
  return showPlan(c, pages, { plan, text, form })
}

/** As showRecordsPlan, of stock. */
export function showStockPlan(
  c: Context<AppEnv>,
  pages: ImportPages,
  { plan, text }: Planned<CarriedStock>,
) {
  const form = (
    <form method="post" action={importRunPath(pages.resource)}>
      <Confirmed />
      <input type="hidden" name="rows" value={carriedText(plan.rows)} />
      <ImportButton rows={plan.rows.length} wrong={plan.wrong} />
    </form>
  )
  return showPlan(c, pages, { plan, text, form })
}

function ImportButton({ rows, wrong }: { rows: number; wrong: number }) {
  const what = `Import ${count(rows)} ${rows === 1 ? 'row' : 'rows'}`
  return (
    <div class="buttons">
      <button type="submit">{wrong > 0 ? `${what}, without the wrong ones` : what}</button>
    </div>
  )
}

interface FieldsProps {
  run: ImportRun
  /** Its rows. */
  text: string
}

function ImportFields({ run: { id, check, results }, text }: FieldsProps) {
  return (
    <>
      <input type="hidden" name="run" value={id} />
      <input type="hidden" name="check" value={check} />
      <input type="hidden" name="rows" value={text} />
      <input type="hidden" name="results" value={JSON.stringify(results)} />
    </>
  )
}

/** How far an import of records is. */
export async function showImported(
  c: Context<AppEnv>,
  { resource, what, many }: ImportPages,
  { run, stopped }: ImportProgress,
) {
  const { rows, results } = run
  const { created, changed, same, failed, failures } = results
  const left = rows.length
  const names = failures.map(([, name]) => name)
  const ids = resource === 'inventory' ? null : await linkedIds(c, resource, names)
  const fields = left > 0 ? <ImportFields run={run} text={carriedText(rows)} /> : null
  return showParts(
    c,
    { done: doneIn(results), left, stopped, fields, action: importRunPath(resource) },
    {
      heading: `Import ${what}`,
      many: 'rows',
      summary: summaryOf(results),
      at: importPath(resource),
      back: <a href={listPath(resource)}>{capitalized(many)}</a>,
      table: (
        <>
          <Tally
            totals={{
              Created: created,
              Changed: changed,
              'Stayed as they were': same,
              Failed: failed,
            }}
          />
          <p>
            Each is in the history of its record. “Undo” on its request takes a change back.{' '}
            {left === 0 && <a href={importPath(resource)}>Import another table</a>}
          </p>
          <Failures
            failures={failures.map(([row, name, reason]) => ({ row, name, reason }))}
            failed={failed}
            resource={resource}
            ids={ids}
          />
          {resource !== 'inventory' && created + changed > 0 && mayUndoImport(c, resource) && (
            <p>
              <TabLink href={undoImportPath(run.check)}>Undo the whole import</TabLink>
            </p>
          )}
        </>
      ),
    },
  )
}

function summaryOf({ created, changed, same, failed }: ImportRun['results']): string {
  const parts: [number, string][] = [
    [created, 'created'],
    [changed, 'changed'],
    [same, 'stayed as they were'],
    [failed, 'failed'],
  ]
  const some = parts.filter(([number]) => number > 0)
  return some.map(([number, what]) => `${count(number)} ${what}`).join(', ')
}

/** What has become of imported stock. */
export function showStockResult(c: Context<AppEnv>, result: StockResult) {
  const { request_id, created, changed, same, failed, failures, warnings } = result
  const title = 'Imported stock'
  return showPage(
    c,
    title,
    <article>
      <Heading text={title}>
        <a href={listPath('inventory')}>Inventory</a>
        <a href={historyPath({})}>History of stock</a>
      </Heading>
      <p class={`verdict ${failed === 0 ? 'good' : 'bad'}`} role="status">
        {verdictOf(result)}
      </p>
      <Tally
        totals={{ Created: created, Changed: changed, 'Stayed as they were': same, Failed: failed }}
      />
      {request_id !== null && (
        <p>
          It is one request: <TabLink href={requestPath(request_id)}>see or undo it</TabLink>.
        </p>
      )}
      {warnings.map((warning) => (
        <p class="nothing">{warning}</p>
      ))}
      <Failures failures={failures} failed={failed} resource="inventory" ids={null} />
      <p>
        <a class="button" href={importPath('inventory')}>
          Import another table
        </a>
      </p>
    </article>,
  )
}

function verdictOf({ request_id, created, changed, failed }: StockResult): string {
  if (request_id === null) return 'There was nothing to do: the stock is as the table says.'
  const done = `${count(created)} created, ${count(changed)} changed.`
  return failed === 0 ? done : `${done} ${count(failed)} failed, and stayed as they were.`
}

interface FailuresProps extends Pick<StockResult, 'failures' | 'failed'> {
  resource: ImportPages['resource']
  ids: Map<string, string> | null
}

function Failures({ failures, failed, resource, ids }: FailuresProps) {
  if (failures.length === 0) return null
  return (
    <section>
      <h2>Rows that failed</h2>
      <p>Check the table again: it is compared with what is there by now.</p>
      <Records columns={['Row', 'Record', 'Why']}>
        {failures.map(({ row, name, reason }) => (
          <tr>
            <td data-label="Row">{row}</td>
            <th scope="row">
              <ImportedName resource={resource} name={name} ids={ids} />
            </th>
            <td data-label="Why" class="free">
              {reason}
            </td>
          </tr>
        ))}
      </Records>
      {failed > failures.length && (
        <p class="nothing">{`${count(failed - failures.length)} more are not listed.`}</p>
      )}
    </section>
  )
}
