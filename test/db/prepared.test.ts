import { eq, sql } from 'drizzle-orm'
import { describe, expect, it, vi } from 'vitest'
import { connect, newMeter } from '../../src/engine/db/connect.ts'
import { placeholders, prepared, preparedFor, qb } from '../../src/engine/db/prepared.ts'
import { locations } from '../../src/engine/db/tables.ts'
import { openTenant, unique } from '../fixtures/tenant.ts'

const database = connect(await openTenant(), newMeter())
const another = connect(await openTenant('other'), newMeter())

const insert = prepared(() =>
  qb.insert(locations).values({
    ...placeholders('id', 'code', 'name', 'metadata', 'is_active'),
    created_at: sql.placeholder('now'),
    updated_at: sql.placeholder('now'),
  }),
)
const { code, name, metadata, is_active } = locations
const select = prepared(() =>
  qb
    .select({ name, metadata, is_active })
    .from(locations)
    .where(eq(code, sql.placeholder('code'))),
)

const row = () => ({ id: unique('id'), code: unique('L'), is_active: true, now: 'now' })

describe('a prepared statement', () => {
  it('writes and reads values as drizzle does: JSON as text, a flag as a number', async () => {
    const values = { ...row(), name: 'Bin', metadata: { a: [1] }, is_active: false }
    const [, found] = await database.batch([insert, select], values)
    expect(found).toEqual([{ name: 'Bin', metadata: { a: [1] }, is_active: false }])
  })

  it.each([undefined, null])('makes NULL of a column that is %s', async (nothing) => {
    const values = { ...row(), name: nothing, metadata: nothing }
    const [, found] = await database.batch([insert, select], values)
    expect(found).toEqual([{ name: null, metadata: null, is_active: true }])
  })

  it('keeps nothing from one use to the next, and takes its own values before the batch’s', async () => {
    const [one, two] = [row(), row()]
    await database.batch([
      insert.with({ ...one, name: 'One', metadata: { of: 'one' } }),
      insert.with(two),
    ])
    const batch = [select, select.with({ code: two.code }), select] as const
    const [first, second, again] = await database.batch(batch, { code: one.code })
    expect(first).toEqual([{ name: 'One', metadata: { of: 'one' }, is_active: true }])
    expect(second).toEqual([{ name: null, metadata: null, is_active: true }])
    expect(again).toEqual(first)
  })

  it('is built at its first use, and once', async () => {
    const build = vi.fn(() => qb.select({ name }).from(locations).limit(1))
    const statement = prepared(build)
    expect(build).not.toHaveBeenCalled()
    for (let use = 0; use < 2; use++) await database.batch([statement])
    expect(build).toHaveBeenCalledOnce()
  })

  it('knows no database: the same one writes and reads wherever it is sent', async () => {
    const [here, there] = [
      { ...row(), name: 'Here' },
      { ...row(), name: 'There' },
    ]
    await Promise.all([database.batch([insert], here), another.batch([insert], there)])
    const found = (connection: typeof database, { code }: { code: string }) =>
      connection.batch([select], { code }).then(([rows]) => rows.map(({ name }) => name))
    expect(await Promise.all([found(database, here), found(another, there)])).toEqual([
      ['Here'],
      ['There'],
    ])
    expect(await Promise.all([found(database, there), found(another, here)])).toEqual([[], []])
  })

  it('is refused where a value is missing that a condition needs', async () => {
    await expect(database.batch([select])).rejects.toThrow('The placeholder "code" has no value')
    await expect(database.batch([select], { code: undefined })).rejects.toThrow('"code"')
  })

  it('gives raw SQL its values as well', async () => {
    const made = row()
    await database.batch([insert], made)
    const rename = qb.run(
      sql`update locations set name = ${sql.placeholder('name')} where code = ${made.code}`,
    )
    const [, found] = await database.batch([rename, select], { ...made, name: 'Renamed' })
    expect(found[0]?.name).toBe('Renamed')
  })
})

describe('preparedFor', () => {
  const selectWhere = preparedFor((match) => qb.select({ code }).from(locations).where(match))

  it('prepares a statement for each piece of SQL, and each but once', async () => {
    const made = row()
    await database.batch([insert], made)
    const byId = sql`id = ${sql.placeholder('id')}`
    expect(selectWhere(byId)).toBe(selectWhere(byId))
    const [found, none] = await database.batch(
      [selectWhere(byId), selectWhere(sql`id = ${made.id} || 'x'`)],
      { id: made.id },
    )
    expect([found, none]).toEqual([[{ code: made.code }], []])
  })
})

describe('a statement that no Connection runs', () => {
  it.each<[string, () => Promise<unknown>]>([
    ['read', () => qb.select({ name }).from(locations).all()],
    ['write', () => qb.delete(locations).run()],
  ])('says so: %s', async (_, run) => {
    const error = await Promise.resolve()
      .then(run)
      .catch((failure: unknown) => failure)
    expect(error).toMatchObject({ cause: { message: expect.stringContaining('no database') } })
  })
})
