import type { Context } from 'hono'
import { Hono } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import type { ApiError } from '../../engine/errors.ts'
import { logOf } from '../../engine/exchange/log.ts'
import { requireScope } from '../../middleware/require-scope.ts'
import { findRequest } from '../../requests/audit-log/log.ts'
import type { ChangedValue } from '../../requests/undo/changes.ts'
import { previewUndo, undoRequest } from '../../requests/undo/queries.ts'
import { askerOf } from '../../requests/undo/target.ts'
import { formOf } from '../form/read.ts'
import { CONFIRMATION } from '../form/shape.ts'
import { Confirmation } from '../parts/confirmation.tsx'
import { FormError } from '../parts/form-error.tsx'
import { Heading } from '../parts/heading.tsx'
import { count } from '../parts/numbers.ts'
import { Records } from '../parts/records.tsx'
import { requestPath } from '../paths.ts'
import { linkedPairs, type PairIds } from '../records/linked.ts'
import { RecordLink } from '../records/record-link.tsx'
import { redirectDone } from '../shell/notice.ts'
import { showPage } from '../shell/page.tsx'
import { ChangeTable, changesOf } from './changes.tsx'

const SHOWN_MAX = 20

type Preview = Awaited<ReturnType<typeof previewUndo>>

/** Below the page of a request. What it asks of a key besides depends on what the request changed. */
export const undo = new Hono<AppEnv>()

undo.use('/:id/undo/', requireScope('settings.audit.read'))

undo.get('/:id/undo/', async (c) => {
  const id = c.req.param('id')
  return await showUndo(c, id, await previewUndo(logOf(c), id, askerOf(c)))
})

undo.post('/:id/undo/', async (c) => {
  const id = c.req.param('id')
  await formOf(c, CONFIRMATION, (_, error) => showRefusal(c, id, error))
  const { request_id } = await undoRequest(logOf(c), id, askerOf(c))
  return redirectDone(c, requestPath(request_id), 'undone')
})

/** What the undo will do, and the button. */
async function showUndo(c: Context<AppEnv>, id: string, preview: Preview) {
  const request = await findRequest(logOf(c), id)
  const { method, path, record_name } = request
  const isStock = preview.resource === 'inventory'
  const changes = isStock ? null : await changesOf(c, request)
  const shown = [...preview.pairs.slice(0, SHOWN_MAX), ...preview.changed_since.slice(0, SHOWN_MAX)]
  const ids = await linkedPairs(c, isStock ? shown : [])
  return showPage(
    c,
    'Undo',
    <Confirmation
      question={`Undo ${method} ${path}?`}
      action="Undo"
      back={requestPath(id)}
      error={null}
    >
      {isStock ? (
        <StockPreview preview={preview} ids={ids} />
      ) : (
        <>
          <p>
            {record_name} gets back what it had before this request. Nobody has changed it since.
          </p>
          {changes && (
            <ChangeTable
              changes={{ ...changes, rows: changes.rows.map(turned) }}
              names={['Now', 'Then']}
            />
          )}
        </>
      )}
      <p>The audit log names your key, and this can be undone as well.</p>
    </Confirmation>,
  )
}

function turned(change: ChangedValue): ChangedValue {
  return { ...change, from: change.to, to: change.from }
}

function showRefusal(c: Context<AppEnv>, id: string, error: ApiError) {
  return showPage(
    c,
    'Undo',
    <>
      <Heading text="Undo" />
      <FormError error={error} />
      <p>
        <a href={requestPath(id)}>Back to the request</a>
      </p>
    </>,
  )
}

function StockPreview({ preview, ids }: { preview: Preview; ids: PairIds }) {
  const { restored, zeroed, pairs, changed_since, changed_since_total } = preview
  return (
    <>
      <p>{summaryOf(restored, zeroed)}</p>
      {pairs.length > 0 && (
        <Quantities
          names={['Now', 'Then']}
          rows={pairs.map((pair) => ({ ...pair, quantities: [pair.from, pair.to] }))}
          ids={ids}
        />
      )}
      <More all={restored + zeroed} />
      {changed_since_total > 0 && (
        <>
          <p>{leftOf(changed_since_total)}</p>
          <Quantities
            names={['Left by the request', 'Now']}
            rows={changed_since.map((pair) => ({ ...pair, quantities: [pair.to, pair.quantity] }))}
            ids={ids}
          />
          <More all={changed_since_total} />
        </>
      )}
    </>
  )
}

interface QuantitiesProps {
  /** Of the columns of quantities. */
  names: [string, string]
  rows: { location_code: string; sku_code: string; quantities: [number, number] }[]
  ids: PairIds
}

function Quantities({ names, rows, ids }: QuantitiesProps) {
  return (
    <Records columns={['Location', 'SKU', ...names]}>
      {rows.slice(0, SHOWN_MAX).map(({ location_code, sku_code, quantities: [first, second] }) => (
        <tr>
          <th scope="row">
            <RecordLink resource="locations" name={location_code} ids={ids.locations} />
          </th>
          <td data-label="SKU" class="free">
            <RecordLink resource="products" name={sku_code} ids={ids.products} />
          </td>
          <td data-label={names[0]}>{count(first)}</td>
          <td data-label={names[1]}>{count(second)}</td>
        </tr>
      ))}
    </Records>
  )
}

function More({ all }: { all: number }) {
  return all > SHOWN_MAX ? <p>{`… and ${count(all - SHOWN_MAX)} more.`}</p> : null
}

function summaryOf(restored: number, zeroed: number): string {
  if (restored + zeroed === 0)
    return 'There is nothing to set back: all quantities are what they were.'
  const parts = [
    ...(restored > 0 ? [`${quantities(restored)} set back to what they were`] : []),
    ...(zeroed > 0
      ? [`${quantities(zeroed)} set to 0, because the request created the record`]
      : []),
  ]
  return `This is what happens: ${parts.join(', ')}.`
}

function leftOf(others: number): string {
  return others === 1
    ? '1 quantity stays as it is: somebody has changed it since.'
    : `${count(others)} quantities stay as they are: somebody has changed them since.`
}

function quantities(number: number): string {
  return number === 1 ? '1 quantity is' : `${count(number)} quantities are`
}
