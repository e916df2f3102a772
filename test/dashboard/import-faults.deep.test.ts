import { describe, expect, it } from 'vitest'
import { faultyBindings } from '../fixtures/harness.ts'
import { admin } from '../fixtures/opened.ts'
import { withCookie } from '../fixtures/session.ts'
import { newCookie } from '../fixtures/signed-in.ts'
import { allRows, oneValue } from '../fixtures/sql.ts'
import { unique } from '../fixtures/tenant.ts'
import { createProduct } from '../fixtures/warehouse.ts'
import { carriedBy, goOn, importOf, numbersOf, wordsOf } from './imports.ts'
import { importedBy, undoIn, undoOf, undoOn } from './undone-imports.ts'

const RUN = `${importOf('products')}run/`

async function openSession() {
  return await newCookie()
}

const OVERLOADED = 'D1_ERROR: D1 DB is overloaded. Too many requests queued.'
const OTHER = 'D1_ERROR: Failed to parse body as JSON, got: error code: 1101'

describe('POST /dashboard/import/products/run/', () => {
  const CASES = (['before', 'after'] as const).flatMap((how) => [
    [how, OVERLOADED, 1] as const,
    [how, OTHER, 50] as const,
  ])

  it.each(CASES)(
    'makes nothing twice, and says what is left, where the database fails %s a batch: %s, %d times',
    async (how, message, times) => {
      const cookie = await openSession()
      const dashboard = withCookie(cookie)
      const left = new Set<number>()
      for (const nth of [1, 2, 3, 4, 5]) {
        const { sku } = await createProduct(admin, { quantity: 1 })
        const skus = [unique('S'), unique('S'), unique('S')]
        const rows = [`${sku};2`, ...skus.map((name) => `${name};1`)]
        const document = `sku;quantity\n${rows.join('\n')}`
        const fields = carriedBy(await dashboard.post(importOf('products'), { document })) ?? {}
        const { bindings } = faultyBindings([{ on: 'd1', nth, times, how, message }])
        const broken = await withCookie(cookie, { bindings }).post(RUN, fields)
        const carried = carriedBy(broken)
        const now = [(await quantityOf(sku)) === 2, ...(await Promise.all(skus.map(createdTimes)))]
        const made = now.filter(Boolean).length
        const rest = JSON.parse(String(carried?.rows ?? '[]')).length
        left.add(rest)
        // What is done is told, but for a row of which nobody knows.
        const told = Object.values(numbersOf(broken)).reduce((all, one) => all + one, 0)
        if (broken.status === 200) expect([told, told + 1]).toContain(made)
        else expect(made).toBe(0)
        const isError = carried === null && broken.status >= 300
        const done = isError
          ? await dashboard.post(RUN, fields)
          : await goOn(dashboard, 'products', broken)
        expect(numbersOf(done)).toEqual({ Created: 3, Changed: 1 })
        for (const name of skus) expect(await createdTimes(name)).toBe(1)
        expect(await quantityOf(sku)).toBe(2)
      }
      expect(left.size).toBeGreaterThan(1)
    },
    60_000,
  )

  it('says that it is not known whether a row was imported', async () => {
    const cookie = await openSession()
    const sku = unique('S')
    const document = `sku\n${sku}`
    const checked = await withCookie(cookie).post(importOf('products'), { document })
    const pages = await Promise.all(
      [0, 1, 2, 3, 4].map(async (nth) => {
        const { bindings } = faultyBindings([
          { on: 'd1', nth, times: 50, how: 'after', message: OVERLOADED },
        ])
        return await withCookie(cookie, { bindings }).post(RUN, carriedBy(checked) ?? {})
      }),
    )
    expect(pages.map(wordsOf).join()).toContain('did not say whether the next row was imported')
    expect(await createdTimes(sku)).toBe(1)
  })
})

async function quantityOf(sku: string): Promise<number> {
  return (await admin.get(`/products/${sku}/`)).body.data.quantity
}

async function createdTimes(name: string): Promise<number | null> {
  return await oneValue(
    'select count(*) as times from audit_log where record_name = ? and status = 201',
    name,
  )
}

const ALL = { 'Got back what they had': 2, 'Were deactivated': 2 }

/** An import that has changed two products and created two, with the session that has made it. */
async function openImport() {
  const cookie = await newCookie()
  const dashboard = withCookie(cookie)
  const changed = [
    await createProduct(admin, { quantity: 1 }),
    await createProduct(admin, { quantity: 1 }),
  ]
  const skus = [...changed.map(({ sku }) => sku), unique('S'), unique('S')]
  const rows = skus.map((sku) => `${sku};2`)
  const check = await importedBy(dashboard, `sku;quantity\n${rows.join('\n')}`)
  const fields = undoIn(await dashboard.get(undoOf(check))) ?? {}
  return { cookie, dashboard, skus, check, fields }
}

describe('POST /dashboard/audit-log/:id/undo-import/', () => {
  const CASES = (['before', 'after'] as const).flatMap((how) => [
    [how, OVERLOADED, 1] as const,
    [how, OTHER, 50] as const,
  ])

  it.each(CASES)(
    'undoes nothing twice, and says what is left, where the database fails %s a batch: %s, %d times',
    async (how, message, times) => {
      const left = new Set<number>()
      for (const nth of [1, 2, 3, 4, 5, 6]) {
        const { cookie, dashboard, skus, check, fields } = await openImport()
        const { bindings } = faultyBindings([{ on: 'd1', nth, times, how, message }])
        const broken = await withCookie(cookie, { bindings }).post(undoOf(check), fields)
        const made = (await undosOf(skus)).filter((number) => number > 0).length
        const told = Object.values(numbersOf(broken)).reduce((all, one) => all + one, 0)
        // What is done is told, but for a record of which nobody knows.
        if (broken.status === 200) expect([told, told + 1]).toContain(made)
        else expect(made).toBe(0)
        left.add(4 - made)
        const done =
          undoIn(broken) === null && broken.status >= 300
            ? await dashboard.post(undoOf(check), fields)
            : await undoOn(dashboard, check, broken)
        expect(numbersOf(done)).toEqual(ALL)
        expect(await undosOf(skus)).toEqual([1, 1, 1, 1])
      }
      expect(left.size).toBeGreaterThan(1)
    },
    60_000,
  )

  it('says that it is not known whether a record was set back', async () => {
    const { cookie, dashboard, skus, check, fields } = await openImport()
    const told: string[] = []
    for (const nth of [2, 3, 4, 5, 6]) {
      const { bindings } = faultyBindings([
        { on: 'd1', nth, times: 50, how: 'after', message: OVERLOADED },
      ])
      told.push(wordsOf(await withCookie(cookie, { bindings }).post(undoOf(check), fields)))
    }
    expect(told.join()).toContain('did not say whether the next record was set back')
    expect(numbersOf(await dashboard.post(undoOf(check), fields))).toEqual(ALL)
    expect(await undosOf(skus)).toEqual([1, 1, 1, 1])
  }, 60_000)
})

/** How often each of them was undone. */
async function undosOf(skus: string[]): Promise<number[]> {
  const results = await allRows<{ times: number }>(
    `select (select count(*) from audit_log where record_name = asked.value
       and path glob '/dashboard/audit-log/*/undo/' and status < 300) as times
     from json_each(?) as asked order by asked.key`,
    JSON.stringify(skus),
  )
  return results.map(({ times }) => times)
}
