import { env } from 'cloudflare:workers'
import { getTableName, is } from 'drizzle-orm'
import { getTableConfig, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { describe, expect, it } from 'vitest'
import * as deliveryTables from '../../src/engine/db/delivery-tables.ts'
import * as codeTables from '../../src/engine/db/item-code-tables.ts'
import { MIGRATIONS } from '../../src/engine/db/migrations.ts'
import * as wordTables from '../../src/engine/db/order-word-tables.ts'
import * as otherTables from '../../src/engine/db/tables.ts'
import { openTenant } from '../fixtures/tenant.ts'

const tables = { ...otherTables, ...deliveryTables, ...codeTables, ...wordTables }
const mirrored = Object.values(tables).filter((value) => is(value, SQLiteTable))

const db = await openTenant()

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

describe('the migrations that a build knows', () => {
  it('are the files of migrations/, in their order', () => {
    expect(MIGRATIONS).toEqual(env.MIGRATIONS.map(({ name }) => name))
  })
})
