import type { listDeliveries } from '../../requests/deliveries/queries.ts'
import type { WaitingWebhook } from '../../requests/deliveries/webhooks.ts'
import type { CsvColumns } from '../parts/page-csv.tsx'
import { reasonText } from '../parts/reason-text.ts'
import { Records } from '../parts/records.tsx'
import { Time } from '../parts/time.tsx'
import { deliveryPath, PARTNERS_PATH, webhookPath } from '../paths.ts'
import { type Known, NeededThing } from './remedy.tsx'
import { documentName } from './words.ts'

export type WaitingRow = Awaited<ReturnType<typeof listDeliveries>>[number]

export const DELIVERIES_CSV: CsvColumns<WaitingRow> = [
  'delivery_id',
  'created_at',
  'ends_at',
  'resource',
  'record',
  'needs',
  'needs_code',
  'error_code',
  'message',
  'event',
  'partner_id',
  'webhook_id',
]

const COLUMNS = ['Record', 'Waits for', 'From', 'Arrived', 'Next try']

interface TableProps {
  rows: WaitingRow[]
  webhooks: WaitingWebhook[]
  known: Known
}

export function DeliveryTable({ rows, webhooks, known }: TableProps) {
  const byId = new Map(webhooks.map((webhook) => [webhook.id, webhook]))
  return (
    <Records columns={COLUMNS} look="waiting">
      {rows.map((row) => (
        <tr>
          <th scope="row">
            <a href={deliveryPath(row.delivery_id)}>
              {documentName(row.resource, row.record)}
              {/* Several deliveries may be of one record. */}
              <span class="for-reader"> {row.delivery_id.slice(-8)}</span>
            </a>
            {row.event !== null && <small class="line">{row.event}</small>}
          </th>
          <td data-label="Waits for">
            <NeededThing of={row} known={known} />
            <small class="line">{reasonText(row.message)}</small>
          </td>
          <td data-label="From">
            <Sender row={row} webhook={byId.get(row.webhook_id)} />
          </td>
          <td data-label="Arrived">
            <Time at={row.created_at} />
          </td>
          <td data-label="Next try">
            <NextTry row={row} />
            <small class="line">
              ends <Time at={row.ends_at} />
            </small>
          </td>
        </tr>
      ))}
    </Records>
  )
}

interface SenderProps {
  row: WaitingRow
  /** Undefined if the session's key may not see its name. */
  webhook: WaitingWebhook | undefined
}

function Sender({ row, webhook }: SenderProps) {
  if (!webhook) return row.webhook_id
  return (
    <>
      <a href={webhookPath(webhook.id)}>{webhook.name}</a>
      <small class="line">
        partner <a href={`${PARTNERS_PATH}${row.partner_id}/`}>{webhook.partner_name}</a>
      </small>
    </>
  )
}

/** When it is tried by itself. */
export function NextTry({ row: { needs, is_due, due_at } }: { row: Omit<WaitingRow, 'seq'> }) {
  if (is_due) return <>within minutes</>
  if (due_at !== null) return <Time at={due_at} />
  return <>{needs === 'person' ? 'none' : 'when that is there'}</>
}
