import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import { ApiError } from '../../engine/errors.ts'
import { logOf } from '../../engine/exchange/log.ts'
import { RESOURCES } from '../../engine/mapping/identifier.ts'
import type { LoggedRequest } from '../../requests/audit-log/record.ts'
import { type ChangedValue, listRequestChanges } from '../../requests/undo/changes.ts'
import { askerOf } from '../../requests/undo/target.ts'
import { seenBy } from '../../settings/history/access.ts'
import { changesByRequest } from '../../settings/history/queries.ts'
import { may } from '../access.ts'
import { whatOf } from '../changed/line.tsx'
import { RecordName, tellKinds } from '../changed/record-name.tsx'
import { Records } from '../parts/records.tsx'
import { changePath, requestPath } from '../paths.ts'
import { linkedIds, linkedPairs, type PairIds } from '../records/linked.ts'
import { RecordLink } from '../records/record-link.tsx'

const SHOWN_MAX = 20
const VALUE_LENGTH_MAX = 200

/** What a request has changed; null where there is nothing to show, or the session's key may not see it. */
export async function changesOf(c: Context<AppEnv>, { request_id, method, status }: LoggedRequest) {
  if (status >= 300 || !['POST', 'PUT'].includes(method)) return null
  const page = { limit: SHOWN_MAX, before: undefined }
  try {
    const list = await listRequestChanges(logOf(c), request_id, askerOf(c), page)
    return list.rows.length > 0 ? await linked(c, list.rows) : null
  } catch (error) {
    if (error instanceof ApiError && ['SCOPE_MISSING', 'NOT_FOUND'].includes(error.code))
      return null
    throw error
  }
}

/** What a request has changed, with the ids by which the records are linked. */
export interface ShownChanges {
  rows: ChangedValue[]
  ids: PairIds & { orders: Map<string, string> }
}

async function linked(c: Context<AppEnv>, rows: ChangedValue[]): Promise<ShownChanges> {
  const pairs = rows.map((row) => ({ ...row, ...namesOf(row) }))
  const numbers = rows.flatMap((row) => (row.resource === 'orders' ? (row.record_name ?? []) : []))
  const [ids, orders] = await Promise.all([linkedPairs(c, pairs), linkedIds(c, 'orders', numbers)])
  return { rows, ids: { ...ids, orders } }
}

/** A product and a location have their names beside those of stock. */
function namesOf({ resource, record_name, location_code, sku_code }: ChangedValue) {
  return {
    location_code: resource === 'locations' ? record_name : location_code,
    sku_code: resource === 'products' ? record_name : sku_code,
  }
}

interface ChangesProps {
  c: Context<AppEnv>
  request: LoggedRequest
  changes: ShownChanges
}

export function ChangesSection({ c, request: { request_id }, changes }: ChangesProps) {
  const { rows } = changes
  const resource = RESOURCES.find((name) => name === rows[0]?.resource)
  return (
    <section>
      <h2>What it changed</h2>
      <ChangeTable changes={changes} names={['Before', 'After']} />
      {rows.length > SHOWN_MAX && (
        <p>
          These are the first {SHOWN_MAX}.{' '}
          <code>{`GET /api/settings/v1/audit-log/${request_id}/changes/`}</code> lists all.
        </p>
      )}
      {resource && may(c, `integrations.${resource}.write`) && (
        <p>
          <a class="button secondary outline" href={`${requestPath(request_id)}undo/`}>
            Undo
          </a>
        </p>
      )}
    </section>
  )
}

interface TableProps {
  changes: ShownChanges
  /** Of the columns of values. */
  names: [from: string, to: string]
}

export function ChangeTable({ changes: { rows, ids }, names }: TableProps) {
  return (
    <Records columns={['Of', 'Field', ...names]}>
      {rows.slice(0, SHOWN_MAX).map((change) => {
        const { location_code, sku_code, field, from, to } = change
        return (
          <tr>
            <th scope="row" class="free">
              {location_code === null ? (
                <NamedRecord change={change} ids={ids} />
              ) : (
                <RecordLink resource="locations" name={location_code} ids={ids.locations} />
              )}
              {sku_code !== null && (
                <small class="line">
                  <RecordLink resource="products" name={sku_code} ids={ids.products} />
                </small>
              )}
            </th>
            <td data-label="Field">{field}</td>
            <td data-label={names[0]} class="free">
              {textOf(from)}
            </td>
            <td data-label={names[1]} class="free">
              {textOf(to)}
            </td>
          </tr>
        )
      })}
    </Records>
  )
}

function NamedRecord({ change, ids }: Pick<ShownChanges, 'ids'> & { change: ChangedValue }) {
  const { record_name } = change
  const resource = RESOURCES.find((name) => name === change.resource)
  if (record_name === null || resource === undefined || resource === 'inventory') return record_name
  return <RecordLink resource={resource} name={record_name} ids={ids[resource]} />
}

function textOf(value: unknown): string {
  if (value === null) return 'none'
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > VALUE_LENGTH_MAX
    ? `${text.slice(0, VALUE_LENGTH_MAX).toWellFormed()}…`
    : text
}

const OF_SETTINGS = /^\/(?:api\/settings\/v1|dashboard)\//
const ID = /^[0-9a-f-]{36}$/

type SettingsChanges = Awaited<
  ReturnType<typeof tellKinds<Awaited<ReturnType<typeof changesByRequest>>[number]>>
>

/** Which settings a request has changed, as far as the session's key may see it. */
export async function settingsChangedBy(
  c: Context<AppEnv>,
  { request_id, method, path, status, dry_run }: LoggedRequest,
): Promise<SettingsChanges> {
  const isChange = method !== 'GET' && status < 400 && !dry_run && OF_SETTINGS.test(path)
  if (!isChange || !may(c, 'settings.audit.read')) return []
  const ids = path.split('/').filter((part) => ID.test(part))
  const changes = await changesByRequest(c.get('db'), request_id, ids, seenBy(c).seen)
  return await tellKinds(c, changes)
}

interface SettingsProps {
  c: Context<AppEnv>
  changes: SettingsChanges
}

/** Each record that the request has changed, with a link to its page and one to the change. */
export function ChangedSettings({ c, changes }: SettingsProps) {
  if (changes.length === 0) return null
  return (
    <section>
      <h2>What it changed</h2>
      <ul class="changes">
        {changes.map((change) => (
          <li>
            <RecordName c={c} change={change} />: {whatOf(change)}{' '}
            <a href={changePath(change.id)}>Show change {change.id}</a>
          </li>
        ))}
      </ul>
    </section>
  )
}
