import { env } from 'cloudflare:workers'

/** A row of the audit log, as far as it matters. */
export interface Row {
  request_id?: string
  created_at?: string
  api_key_id?: string
  api_key_name?: string
  partner_id?: string | null
  partner_name?: string | null
  record_name?: string | null
  record_id?: string | null
  replay_of?: string | null
  dry_run?: number
  document_until?: number | null
  list_page?: string | null
  message?: string | null
  details?: string | null
  error_fields?: string | null
  method?: string
  path?: string
  status?: number
  error_code?: string | null
  duration_ms?: number
  source?: string | null
  notes?: string | null
  rows_total?: number | null
  rows_created?: number | null
  rows_failed?: number | null
}

/** Rows as requests would have left them, oldest first; each of them so many times. */
export async function insertRequests(rows: Row[], times = 1): Promise<void> {
  const full = rows.map((row) => ({
    created_at: new Date().toISOString(),
    settings_version: 1,
    record_id: 'x',
    api_key_id: 'key',
    api_key_name: 'key',
    method: 'GET',
    path: '/api/integrations/v1/orders/',
    status: 200,
    duration_ms: 1,
    ...row,
  }))
  const names = [...new Set(full.flatMap((row) => Object.keys(row)))].filter(
    (name) => name !== 'request_id',
  )
  await env.DB_DEMO.prepare(
    `with recursive turn(n) as (select 1 union all select n + 1 from turn where n < ?)
     insert into audit_log (request_id, ${names.join(', ')})
     select coalesce(value ->> 'request_id', lower(hex(randomblob(16)))),
       ${names.map((name) => `value ->> '${name}'`).join(', ')}
     from json_each(?), turn order by json_each.key, n`,
  )
    .bind(times, JSON.stringify(full))
    .run()
  if (names.includes('created_at') && rows.some(({ created_at }) => created_at)) await sortLog()
}

/** Numbers the rows by their time, as they would have come in. */
export async function sortLog(): Promise<void> {
  await env.DB_DEMO.prepare(
    `update audit_log set seq = sorted.seq from (
       select seq as old, (select max(seq) from audit_log)
         + row_number() over (order by created_at, seq) as seq from audit_log) as sorted
     where audit_log.seq = sorted.old`,
  ).run()
}
