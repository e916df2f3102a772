import { type LogRow, lineMember } from '../../engine/log/archive/lines.ts'
import { fieldOfAnyElement } from '../../engine/log/values.ts'
import { AREA_PATHS, type LogFilters } from './filters.ts'
import { FAILED } from './schema.ts'

type Value<Name extends keyof LogFilters> = NonNullable<LogFilters[Name]>
type Test<Name extends keyof LogFilters> = (row: LogRow, value: Value<Name>) => boolean

/** What filters.ts says in SQL, for rows that are in the archive. */
const TESTS: { [Name in keyof Required<LogFilters>]: Test<Name> } = {
  api_key_id: (row, value) => row.api_key_id === value,
  partner_id: (row, value) => row.partner_id === value,
  record_name: (row, value) => row.record_name === value,
  record_name_prefix: (row, value) => row.record_name?.startsWith(value) ?? false,
  request_id: (row, value) => row.request_id === value,
  sender_id: (row, value) => row.sender_id === value,
  outcome: (row, value) => row.outcome === value,
  method: (row, value) => row.method === value,
  status: statusIs,
  error_code: (row, value) => row.error_code === value,
  field: (row, value) => row.error_fields?.includes(`\n${fieldOfAnyElement(value)}\n`) ?? false,
  area: (row, value) => row.path.startsWith(AREA_PATHS[value]),
  resource: (row, value) =>
    ['integrations', 'settings'].some((area) => row.path.startsWith(`/api/${area}/v1/${value}/`)),
  dry_run: (row, value) => row.dry_run === (value === 'true'),
  failed: hasFailed,
  from: (row, value) => row.created_at >= value,
  to: (row, value) => row.created_at < value,
}

/** Whether a row meets all filters that are set. */
export function matcherOf(filters: LogFilters): (row: LogRow) => boolean {
  const asked = Object.entries(filters).filter(([, value]) => value !== undefined)
  const tests = asked.map(([name, value]) => {
    const test = TESTS[name as keyof LogFilters] as Test<never>
    return (row: LogRow) => test(row, value as never)
  })
  return (row) => tests.every((test) => test(row))
}

/** A text in the line of each row that meets the filters. */
export function markOf(filters: LogFilters): string | undefined {
  const { request_id, record_name, api_key_id, partner_id } = filters
  const marks = Object.entries({ request_id, record_name, api_key_id, partner_id }).flatMap(
    ([name, value]) => (value === undefined ? [] : [lineMember({ [name]: value })]),
  )
  return marks[0]
}

function statusIs({ status }: LogRow, value: string): boolean {
  if (value === FAILED) return status >= 400
  return value.endsWith('xx') ? String(status)[0] === value[0] : status === Number(value)
}

function hasFailed(row: LogRow): boolean {
  const isChange = ['POST', 'PUT', 'DELETE'].includes(row.method)
  const isFailure = row.status >= 400 || (row.rows_failed ?? 0) > 0
  const isOwn = row.replay_of === null && !row.dry_run
  return isChange && isFailure && isOwn && row.path.startsWith(AREA_PATHS.integrations)
}
