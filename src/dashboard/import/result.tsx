import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import { capitalized } from '../../engine/model/record.ts'
import { Heading } from '../parts/heading.tsx'
import { count } from '../parts/numbers.ts'
import { Tally, tallyText } from '../parts/tally.tsx'
import {
  historyPath,
  importPath,
  importRunPath,
  listPath,
  requestPath,
  undoImportPath,
} from '../paths.ts'
import { showParts } from '../run/progress.tsx'
import { TabLink } from '../run/results.tsx'
import type { RunProgress } from '../run/run.ts'
import { showPage } from '../shell/page.tsx'
import { mayUndoImport } from '../undo-import/link.tsx'
import type { StockResult } from './import-stock.ts'
import { idsNamed } from './page.tsx'
import type { ImportPages } from './pages.ts'
import { RowTexts } from './planned.tsx'
import { doneIn, fieldsOfImport, type ImportRun, type Results } from './run.ts'

/** How far an import of records is. */
export async function showImported(
  c: Context<AppEnv>,
  { resource, what, many }: ImportPages,
  { run, stopped }: RunProgress<ImportRun>,
) {
  const { rows, results } = run
  const { created, changed, failed } = results
  const left = rows.length
  const failures = results.failures.map(([row, name, text]) => ({ row, name, text }))
  const ids = await idsNamed(c, { resource }, failures)
  return showParts(
    c,
    {
      done: doneIn(results),
      left,
      stopped,
      fields: fieldsOfImport(run),
      action: importRunPath(resource),
    },
    {
      heading: `Import ${what}`,
      many: 'rows',
      summary: tallyText(totalsOf(results)),
      at: importPath(resource),
      back: <a href={listPath(resource)}>{capitalized(many)}</a>,
      table: (
        <>
          <Tally totals={totalsOf(results)} />
          <p>
            Each is in the history of its record. “Undo” on its request takes a change back.{' '}
            {left === 0 && <a href={importPath(resource)}>Import another table</a>}
          </p>
          <Failures failures={failures} failed={failed} resource={resource} ids={ids} />
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

function totalsOf({ created, changed, same, failed }: Omit<Results, 'failures'>) {
  return { created, changed, 'stayed as they were': same, failed }
}

/** What has become of imported stock. */
export function showStockResult(c: Context<AppEnv>, result: StockResult) {
  const { request_id, failed, failures, warnings } = result
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
      <Tally totals={totalsOf(result)} />
      {request_id !== null && (
        <p>
          It is one request: <TabLink href={requestPath(request_id)}>see or undo it</TabLink>.
        </p>
      )}
      {warnings.map((warning) => (
        <p class="nothing">{warning}</p>
      ))}
      <Failures failures={failures} failed={failed} resource="inventory" ids={new Map()} />
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
  ids: Map<string, string>
}

function Failures({ failures, failed, resource, ids }: FailuresProps) {
  if (failures.length === 0) return null
  return (
    <section>
      <h2>Rows that failed</h2>
      <p>Check the table again: it is compared with what is there by now.</p>
      <RowTexts resource={resource} rows={failures} column="Why" ids={ids} />
      {failed > failures.length && (
        <p class="nothing">{`${count(failed - failures.length)} more are not listed.`}</p>
      )}
    </section>
  )
}
