import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import type { ApiError } from '../../engine/errors.ts'
import { logOf } from '../../engine/exchange/log.ts'
import { broughtBy } from '../../engine/exchange/retried.ts'
import { findRequest } from '../../requests/audit-log/log.ts'
import { waitingRowsOf } from '../../requests/deliveries/queries.ts'
import { findTries } from '../../requests/deliveries/tries.ts'
import { may } from '../access.ts'
import { FormError } from '../parts/form-error.tsx'
import { Heading } from '../parts/heading.tsx'
import { count } from '../parts/numbers.ts'
import { reasonText } from '../parts/reason-text.ts'
import { Records } from '../parts/records.tsx'
import { deliveriesPath, deliveryPath, requestPath } from '../paths.ts'
import { showPage } from '../shell/page.tsx'
import { Requests } from './tries.tsx'
import { documentName } from './words.ts'

/** What became of a delivery that does not wait. 404 for what was none, or is not to be seen. */
export async function showEnded(
  c: Context<AppEnv>,
  id: string,
  missing: ApiError,
  error: ApiError | null,
) {
  if (!may(c, 'settings.audit.read')) throw missing
  const request_id = broughtBy({ delivery_id: id })
  const isRow = request_id !== id
  const { delivery, record_name, message } = await findRequest(logOf(c), request_id)
  if (delivery === null) throw missing
  const [requests, rows] = await Promise.all([
    findTries(c.get('db'), request_id),
    waitingRowsOf(c.get('db'), request_id),
  ])
  const [last] = requests.tries
  const outcome = delivery.outcome === 'waiting' ? (last?.outcome ?? 'waiting') : delivery.outcome
  return showPage(
    c,
    'Delivery',
    <>
      <Heading text={`Delivery${record_name === null ? '' : ` of ${record_name}`}`}>
        <a href={deliveriesPath()}>All deliveries</a>
        <a href={requestPath(request_id)}>Its request</a>
      </Heading>
      <FormError error={error} />
      {isRow ? (
        <EndedRow message={message} />
      ) : (
        <p role="status">
          This delivery does not wait any more: <strong>{outcome}</strong>.
          {outcome === 'dismissed' &&
            message !== null &&
            ` It had waited because of this: ${reasonText(message)}`}
        </p>
      )}
      {rows.total > 0 && <RowsThatWait {...rows} />}
      <Requests requests={requests} isRow={isRow || rows.total > 0} />
    </>,
  )
}

/** The log has one row for the upload, and one for each try, but none that names a row of the upload. */
function EndedRow({ message }: { message: string | null }) {
  return (
    <p role="status">
      No row of this number waits. What became of it is among the requests below.
      {message !== null && ` Of its upload the log says: ${reasonText(message)}`}
    </p>
  )
}

function RowsThatWait({ rows, total }: Awaited<ReturnType<typeof waitingRowsOf>>) {
  return (
    <section>
      <h2>Rows that wait</h2>
      <Records columns={['Row', 'Why it waits']}>
        {rows.map(({ delivery_id, record, message }) => (
          <tr>
            <th scope="row">
              <a href={deliveryPath(delivery_id)}>{documentName('inventory', record)}</a>
            </th>
            <td data-label="Why it waits">{message}</td>
          </tr>
        ))}
      </Records>
      {total > rows.length && (
        <p class="nothing">{`Of ${count(total)} rows, the first ${rows.length} are shown.`}</p>
      )}
    </section>
  )
}
