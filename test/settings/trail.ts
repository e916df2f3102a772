import { expect } from 'vitest'
import { newRequestId } from '../../src/engine/db/request-id.ts'
import { sortLog } from '../fixtures/audit-rows.ts'
import { admin } from '../fixtures/opened.ts'
import { AUDIT } from '../fixtures/settings.ts'
import { execute } from '../fixtures/sql.ts'
import { type Json, unique } from '../fixtures/tenant.ts'

export async function find(query: Record<string, string>): Promise<Json[]> {
  const { status, body } = await admin.get(`${AUDIT}?${new URLSearchParams(query)}`)
  expect([status, body.success]).toEqual([200, true])
  return body.data
}

/** What a key has done, in this order. */
export const DONE = [
  'POST 201 products',
  'POST 409 products',
  'POST 400 products',
  'GET 200 products',
  'GET 200 products',
  'PUT 200 products',
  'DELETE 200 products',
  'GET 404 products',
  'GET 200 orders',
  'GET 404 orders',
  'GET 503 orders',
  'GET 200 locations',
  'GET 200 inventory',
  'GET 200 workspace',
  'GET 200 api-keys',
  'GET 200 audit-log',
  'POST 403 api-keys',
]

export const SETTINGS = ['workspace', 'api-keys', 'audit-log']

export const told = ({ method, status, path }: Json) => `${method} ${status} ${path.split('/')[4]}`

export interface Row {
  created_at?: string
  key?: string
  partner?: string | null
  done?: string
}

/** A row as a request would have left it. */
export async function insertRow(row: Row): Promise<string> {
  const { created_at = new Date().toISOString(), key = unique('key'), partner = null } = row
  const [method, status, resource = ''] = (row.done ?? 'GET 200 orders').split(' ')
  const area = SETTINGS.includes(resource) ? 'settings' : 'integrations'
  const path = `/api/${area}/v1/${resource}/`
  const id = newRequestId(Date.parse(created_at))
  await execute(
    `insert into audit_log (request_id, created_at, settings_version, record_id, api_key_id,
         api_key_name, partner_id, partner_name, method, path, status, duration_ms)
       values (?, ?, 1, 'x', ?, 'key', ?, 'partner', ?, ?, ?, 1)`,
    id,
    created_at,
    key,
    partner,
    method,
    path,
    Number(status),
  )
  if (row.created_at) await sortLog()
  return id
}

/** A key with requests of many kinds; gives its id. */
export async function layTrail(partner: string | null = null): Promise<string> {
  const key = unique('key')
  for (const done of DONE) await insertRow({ key, partner, done })
  return key
}

export const idsOf = (rows: Json[]) => rows.map(({ request_id }) => request_id)
