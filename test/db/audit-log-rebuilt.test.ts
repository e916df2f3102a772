import { applyD1Migrations } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { violationOf } from '../../src/db/violations.ts'

// Migration 0022 builds the audit log anew. Rows, rules and triggers are as before, also for code that does not know it.

const db = env.DB_DEMO
const IS_BEFORE = ({ name }: { name: string }) => name < '0022'
const IS_UP_TO = ({ name }: { name: string }) => name < '0023'

const columns = `request_id, created_at, settings_version, record_id, api_key_id, api_key_name, partner_id, method, path,
  status, duration_ms, record_name, document_until, list_page, replay_of, dry_run, details, rows_total, rows_failed,
  rows_created`

const insert = (id: string, key = 'key') =>
  db
    .prepare(
      `insert into audit_log (${columns}) values (?, '2026-01-01T00:00:00.000Z', 1, 'record', ?, 'a key', 'partner', 'POST',
         '/', 200, 5, 'SO-1', 7, null, 'other', 1, '{"a":1}', 3, 1, 1)`,
    )
    .bind(id, key)
    .run()

const rows = async () =>
  (await db.prepare(`select seq, rows_updated, ${columns} from audit_log order by seq`).all())
    .results

const schemaOf = async (type: string) => {
  const { results } = await db
    .prepare('select name, sql from sqlite_schema where type = ? order by name')
    .bind(type)
    .all<{ name: string; sql: string }>()
  return results.map(({ name, sql }) => [name, sql?.replace(/\s+/g, ' ')])
}

const refusal = (id: string, key?: string) =>
  insert(id, key).then(
    () => null,
    (error: unknown) => violationOf(error)?.constraint,
  )

describe('the audit log that is built anew', () => {
  const known = [crypto.randomUUID(), crypto.randomUUID()] as const
  let before: unknown[]
  let triggers: unknown[]

  beforeAll(async () => {
    await applyD1Migrations(db, env.MIGRATIONS.filter(IS_BEFORE))
    for (const id of known) await insert(id)
    await db.exec('update audit_log set seq = 70 where seq = 2')
    before = await rows()
    triggers = await schemaOf('trigger')
    await applyD1Migrations(db, env.MIGRATIONS.filter(IS_UP_TO))
  })

  it('has all rows, by the same numbers, and all triggers', async () => {
    expect(await rows()).toEqual(before)
    expect(await schemaOf('trigger')).toEqual(triggers)
  })

  it('refuses an id of code from before under the name that such code knows', async () => {
    expect(await refusal(known[0])).toBe('audit_log.request_id')
    // Whoever asks.
    expect(await refusal(known[0], 'another key')).toBe('audit_log.request_id')
  })

  it('refuses a request that it has, and takes one of another key', async () => {
    const id = '019aa000-0000-7000-8000-000000000000'
    expect(await refusal(id)).toBeNull()
    expect(await refusal(id)).toBe('audit_log.caller')
    expect(await refusal(id, 'another key')).toBeNull()
  })

  it('goes on with the number after the highest', async () => {
    const { results } = await db.prepare('select max(seq) as newest from audit_log').all()
    expect(results).toEqual([{ newest: 72 }])
  })

  it('still gives a statement that forgets the feed its place', async () => {
    await insert(crypto.randomUUID())
    await db.exec(
      "insert into products (id, sku, created_at, updated_at) values ('record', 'S', '', '')",
    )
    const row = await db.prepare('select changed_in, changed_by from products').first()
    expect(row).toEqual({ changed_in: 73, changed_by: expect.any(String) })
  })
})
