import { applyD1Migrations } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { getTableName, is } from 'drizzle-orm'
import { getTableConfig, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { beforeAll, describe, expect, it } from 'vitest'
import * as tables from '../../src/db/tables.ts'
import { openTenant } from '../tenant.ts'

let db: D1Database

beforeAll(async () => {
  db = await openTenant()
})

const mirrored = Object.values(tables).filter((value) => is(value, SQLiteTable))

describe('db/tables.ts', () => {
  it('has every table of the migrations and no other', async () => {
    const { results } = await db
      .prepare(
        `select name from sqlite_schema where type = 'table'
         and name not like 'sqlite_%' and name not like '_cf_%' and name <> 'd1_migrations'`,
      )
      .all<{ name: string }>()
    const names = mirrored.map((table) => getTableName(table))
    expect(names.toSorted()).toEqual(results.map(({ name }) => name).toSorted())
  })

  it.each(mirrored.map((table) => [getTableName(table), table] as const))(
    'has the columns of %s: names, types, not null, keys, in order',
    async (name, table) => {
      const { results } = await db
        .prepare('select name, type, "notnull", pk, hidden from pragma_table_xinfo(?)')
        .bind(name)
        .all<{ name: string; type: string; notnull: number; pk: number; hidden: number }>()
      const { columns, primaryKeys } = getTableConfig(table)
      const keys = primaryKeys.flatMap((key) => key.columns.map((column) => column.name))
      const mirror = columns.map((column) => ({
        name: column.name,
        type: column.getSQLType().toUpperCase(),
        required: column.notNull || column.primary || keys.includes(column.name),
        key: column.primary || keys.includes(column.name),
        generated: column.generated !== undefined,
      }))
      const actual = results.map(({ name, type, notnull, pk, hidden }) => ({
        name,
        type,
        required: notnull === 1 || pk > 0,
        key: pk > 0,
        generated: hidden > 0,
      }))
      expect(mirror).toEqual(actual)
    },
  )

  it.each(mirrored.map((table) => [getTableName(table)]))('%s is STRICT', async (name) => {
    const strict = await db
      .prepare('select strict from pragma_table_list where name = ?')
      .bind(name)
      .first('strict')
    expect(strict).toBe(1)
  })
})

describe('migrations', () => {
  it('0008 carries each row of the log to the table that it builds', async () => {
    await applyD1Migrations(env.DB_OTHER, env.MIGRATIONS.slice(0, 7))
    const columns = `seq, request_id, created_at, settings_version, record_id, api_key_id, api_key_name,
      partner_id, partner_name, method, path, status, error_code, duration_ms, source, notes, rows_total,
      rows_created, rows_failed`
    const insert = env.DB_OTHER.prepare(
      `insert into audit_log (${columns}) values (?, ?, '2026-01-01', 1, 'r', 'k', 'key', 'p', 'partner',
       'POST', '/x', 200, null, 5, 'erp', 'notes', 3, 1, 1)`,
    )
    await env.DB_OTHER.batch([insert.bind(3, 'a'), insert.bind(9, 'b')])
    const rows = async () =>
      (
        await env.DB_OTHER.prepare(
          `select ${columns}, rows_updated from audit_log order by seq`,
        ).all()
      ).results
    const before = await rows()
    expect(before).toHaveLength(2)
    await applyD1Migrations(env.DB_OTHER, env.MIGRATIONS)
    expect(await rows()).toEqual(before)
  })

  it('0002 gives a workspace that is there already 365 days, and changes nothing else', async () => {
    await applyD1Migrations(env.DB_OTHER, env.MIGRATIONS.slice(0, 1))
    await env.DB_OTHER.prepare(
      `insert into workspace (id, tenant, name, integration_enabled, settings_version, created_at,
       updated_at) values (1, 'other', 'Other', 0, 7, 'then', 'then')`,
    ).run()
    const before = await env.DB_OTHER.prepare('select * from workspace').first()
    await applyD1Migrations(env.DB_OTHER, env.MIGRATIONS)
    const after = await env.DB_OTHER.prepare('select * from workspace').first()
    expect(after).toEqual({ ...before, audit_retention_days: 365 })
  })
})

describe('workspace.audit_retention_days', () => {
  const set = (days: unknown) =>
    db.prepare('update workspace set audit_retention_days = ?').bind(days).run()

  it.each([1, 365, 3650])(
    'may be %i, whoever sets it, and raises settings_version',
    async (days) => {
      const version = () => db.prepare('select settings_version from workspace').first()
      const before = (await version())?.settings_version
      await set(days)
      expect(await version()).toEqual({ settings_version: Number(before) + 1 })
    },
  )

  it.each([0, -1, 3651, 1.5, null, 'x'])('is never %j, whoever sets it', async (days) => {
    await expect(set(days)).rejects.toThrow('SQLITE_CONSTRAINT')
  })
})
