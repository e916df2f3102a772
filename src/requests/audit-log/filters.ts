import { between, eq, gte, or, type SQL, sql } from 'drizzle-orm'
import { auditLog } from '../../engine/db/tables.ts'
import { fieldOfAnyElement } from '../../engine/log/values.ts'
import { type AuditLogQuery, FAILED } from './schema.ts'

/** With `failed`, which is no parameter of the API: changes of the integrations API that failed, in whole or in part. */
export type LogFilters = AuditLogQuery['filters'] & { failed?: true }
type Value<Name extends keyof LogFilters> = NonNullable<LogFilters[Name]>

export const AREA_PATHS: Record<Value<'area'>, string> = {
  integrations: '/api/integrations/',
  webhooks: '/webhooks/',
  settings: '/api/settings/',
  dashboard: '/dashboard/',
}

type Condition<Name extends keyof LogFilters> = (value: Value<Name>) => SQL | undefined

/** What a row has to meet, by filter. `from` and `to` are not among them: they are a range of an index. */
const CONDITIONS = {
  api_key_id: (value) => eq(auditLog.api_key_id, value),
  partner_id: (value) => eq(auditLog.partner_id, value),
  record_name: (value) => eq(auditLog.record_name, value),
  record_name_prefix: (value) =>
    sql`substr(${auditLog.record_name}, 1, ${[...value].length}) = ${value}`,
  request_id: (value) => eq(auditLog.request_id, value),
  sender_id: (value) => eq(auditLog.sender_id, value),
  outcome: (value) => eq(auditLog.outcome, value),
  method: (value) => eq(auditLog.method, value),
  status: statusIs,
  error_code: (value) => eq(auditLog.error_code, value),
  field: (value) => sql`instr(${auditLog.error_fields}, ${`\n${fieldOfAnyElement(value)}\n`}) > 0`,
  area: (value) => sql`${auditLog.path} glob ${`${AREA_PATHS[value]}*`}`,
  resource: pathOf,
  dry_run: (value) => eq(auditLog.dry_run, value === 'true'),
  failed: hasFailed,
} satisfies { [Name in Exclude<keyof LogFilters, 'from' | 'to'>]: Condition<Name> }

/** The conditions of all filters that are set, except the one that an index answers. */
export function matching(filters: LogFilters, answered?: keyof LogFilters): SQL[] {
  return Object.entries(CONDITIONS).flatMap(([name, condition]) => {
    const value = filters[name as keyof typeof CONDITIONS]
    const isAsked = value !== undefined && name !== answered
    return isAsked ? ((condition as Condition<never>)(value as never) ?? []) : []
  })
}

function pathOf(resource: string): SQL | undefined {
  return or(
    ...['integrations', 'settings'].map(
      (area) => sql`${auditLog.path} glob ${`/api/${area}/v1/${resource}/*`}`,
    ),
  )
}

/** Not what an administrator has sent again: that repeats another one. And no dry run: it was to change nothing. */
function hasFailed(): SQL {
  const { method, path, status, rows_failed, replay_of, dry_run } = auditLog
  return sql`(${status} >= 400 or ${rows_failed} > 0) and ${method} in ('POST', 'PUT', 'DELETE')
    and ${path} glob ${`${AREA_PATHS.integrations}*`} and ${replay_of} is null and not ${dry_run}`
}

function statusIs(status: string): SQL {
  if (status === FAILED) return gte(auditLog.status, 400)
  if (!status.endsWith('xx')) return eq(auditLog.status, Number(status))
  const least = Number(status[0]) * 100
  return between(auditLog.status, least, least + 99) as SQL
}
