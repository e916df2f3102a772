import { describe, expect, it } from 'vitest'
import { inDeepPass } from '../fixtures/depth.ts'
import { admin } from '../fixtures/opened.ts'
import { dashboard } from '../fixtures/opened-dashboard.ts'
import { linksIn, openDashboard } from '../fixtures/session.ts'
import { openOther } from '../fixtures/signed-in.ts'
import { execute, oneValue } from '../fixtures/sql.ts'
import { createKey, openTenant, unique } from '../fixtures/tenant.ts'
import { LOG } from '../fixtures/undo.ts'
import { createLocation, createProduct } from '../fixtures/warehouse.ts'
import { carriedBy, importAll, importOf, numbersOf, wordsOf } from './imports.ts'
import { importedBy, undoAll, undoIn, undoOf, undoOn } from './undone-imports.ts'

const productNow = async (sku: string) => (await admin.get(`/products/${sku}/`)).body.data

/** The requests that have changed something about the record, the newest first. */
async function changesOf(name: string) {
  const { body } = await admin.get(`${LOG}/?record_name=${name}`)
  return body.data.filter(({ method }: { method: string }) => method !== 'GET')
}

/** The request that has imported the record. */
async function rowOf(name: string): Promise<string> {
  const rows = await changesOf(name)
  const found = rows.find(({ path }: { path: string }) => path.startsWith('/dashboard/import/'))
  return found.request_id
}

/** A product that was there, and one that the same import has created. */
async function importPair() {
  const { sku } = await createProduct(admin, { quantity: 1, cost: '1.50' })
  const added = unique('NEW')
  const check = await importedBy(dashboard, `sku;quantity;cost\n${sku};2;3\n${added};5;\n`)
  return { sku, added, check }
}

const undoRow = async (sku: string) =>
  admin.post(`${LOG}/${await rowOf(sku)}/undo/`, {}).then(({ status }) => expect(status).toBe(200))

type Pair = Awaited<ReturnType<typeof importPair>>

/** What happens to the pair after the import, and what the undo makes of it. */
const CASES: {
  name: string
  act: (pair: Pair) => Promise<unknown>
  counts: Record<string, number>
  changed: object
  created: object
  why?: string
}[] = [
  {
    name: 'a pair that nobody has touched',
    act: async () => {},
    counts: { 'Got back what they had': 1, 'Were deactivated': 1 },
    changed: { quantity: 1, cost: '1.50' },
    created: { quantity: 5, is_active: false },
  },
  {
    name: 'records that a client has changed since',
    act: async ({ sku, added }) => {
      await admin.put(`/products/${sku}/`, { quantity: 9 })
      await admin.put(`/products/${added}/`, { quantity: 9 })
    },
    counts: { 'Got back what they had': 0, 'Stayed as they are': 2 },
    changed: { quantity: 9, cost: '3' },
    created: { quantity: 9, is_active: true },
    why: 'It was changed since.',
  },
  {
    name: 'records that somebody has deleted since',
    act: async ({ sku, added }) => {
      await admin.delete(`/products/${sku}/`)
      await admin.delete(`/products/${added}/`)
    },
    counts: { 'Got back what they had': 0, 'Stayed as they are': 2 },
    changed: { quantity: 2, is_active: false },
    created: { quantity: 5, is_active: false },
    why: 'It was changed since.',
  },
  {
    name: 'a row that was undone by itself before',
    act: ({ sku }) => undoRow(sku),
    counts: { 'Got back what they had': 0, 'Were deactivated': 1, 'Were undone before': 1 },
    changed: { quantity: 1, cost: '1.50' },
    created: { is_active: false },
  },
  {
    name: 'a row that was undone before, and that has changed since',
    act: async ({ sku }) => {
      await undoRow(sku)
      await admin.put(`/products/${sku}/`, { quantity: 7 })
    },
    counts: { 'Got back what they had': 0, 'Were deactivated': 1, 'Stayed as they are': 1 },
    changed: { quantity: 7, cost: '1.50' },
    created: { is_active: false },
    why: 'It was changed since.',
  },
  {
    name: 'a record with stock of it',
    act: async ({ added }) => {
      const { code } = await createLocation(admin)
      const inventory = [{ location_code: code, sku_code: added, quantity: 3 }]
      await admin.post('/inventory/', { inventory })
    },
    counts: { 'Got back what they had': 1, 'Were deactivated': 1 },
    changed: { quantity: 1 },
    created: { is_active: false },
  },
]

describe('POST /dashboard/audit-log/:id/undo-import/', () => {
  it.each(CASES)('undoes $name', async ({ act, counts, changed, created, why }) => {
    const pair = await importPair()
    await act(pair)
    const before = [await productNow(pair.sku), await productNow(pair.added)]
    const { asked, done } = await undoAll(dashboard, pair.check)
    const isDue = undoIn(asked) !== null
    const told = Object.fromEntries(
      Object.entries(counts).map(([name, number]) => [foretold(name), number]),
    )
    expect(numbersOf(asked)).toEqual(told)
    if (isDue) expect(numbersOf(done)).toEqual(counts)
    else expect(wordsOf(done)).toContain('There is nothing to undo.')
    if (why) expect(wordsOf(done)).toContain(why)
    const now = [await productNow(pair.sku), await productNow(pair.added)]
    expect(now).toMatchObject([changed, created])
    if (!isDue) expect(now).toEqual(before)
  })

  it('leaves what the import has left alone', async () => {
    const { sku } = await createProduct(admin, { quantity: 3 })
    const added = unique('NEW')
    const check = await importedBy(dashboard, `sku;quantity\n${sku};3\n${added};1\n`)
    const before = await productNow(sku)
    const { done } = await undoAll(dashboard, check)
    expect(numbersOf(done)).toEqual({ 'Got back what they had': 0, 'Were deactivated': 1 })
    expect(await productNow(sku)).toEqual(before)
  })

  it('leaves a record that the import has created as inactive, however often it is asked', async () => {
    const [active, inactive] = [unique('S'), unique('S')]
    const check = await importedBy(dashboard, `sku;is_active\n${active};true\n${inactive};false\n`)
    const { asked, done } = await undoAll(dashboard, check)
    expect(numbersOf(asked)).toEqual({
      ...{ 'Get back what they had': 0, 'Are deactivated': 1, 'Stay as they are': 1 },
    })
    expect(numbersOf(done)).toEqual({
      ...{ 'Got back what they had': 0, 'Were deactivated': 1, 'Stayed as they are': 1 },
    })
    expect(wordsOf(done)).toContain(`${inactive} The import has created it, and it is inactive.`)
    expect(wordsOf(await dashboard.get(undoOf(check)))).toContain('There is nothing to undo.')
    expect(await undosOf(inactive)).toBe(0)
  })

  it('undoes an import of locations', async () => {
    const { code } = await createLocation(admin, { zone: 'A' })
    const added = unique('L')
    const check = await importedBy(dashboard, `code;zone\n${code};B\n${added};B\n`, 'locations')
    const { done } = await undoAll(dashboard, check)
    expect(numbersOf(done)).toEqual({ 'Got back what they had': 1, 'Were deactivated': 1 })
    expect((await admin.get(`/locations/${code}/`)).body.data.zone).toBe('A')
    expect((await admin.get(`/locations/${added}/`)).body.data.is_active).toBe(false)
  })

  it('writes the audit row of a single undo for each record, which the pages of both name', async () => {
    const { sku, added, check } = await importPair()
    await undoAll(dashboard, check)
    for (const name of [sku, added]) {
      const row = await rowOf(name)
      const [undo, ...others] = (await changesOf(name)).filter(
        ({ path }: { path: string }) => path === `/dashboard/audit-log/${row}/undo/`,
      )
      expect(others).toEqual([])
      expect(undo).toMatchObject({ method: 'POST', status: 200, record_name: name })
      const page = await dashboard.get(`/dashboard/audit-log/${row}/`)
      expect(wordsOf(page)).toContain('It was undone by a later request')
      expect(linksIn(page.text)).toContain(`/dashboard/audit-log/${undo.request_id}/`)
    }
  })

  it('gives a record back that the undo of its undo has changed again, and no other', async () => {
    const { sku, check } = await importPair()
    await undoAll(dashboard, check)
    const { request_id } = (await changesOf(sku))[0]
    expect((await admin.post(`${LOG}/${request_id}/undo/`, {})).status).toBe(200)
    expect(await productNow(sku)).toMatchObject({ quantity: 2 })
    // By now somebody wants what the import has brought.
    const again = await dashboard.get(undoOf(check))
    expect(numbersOf(again)).toMatchObject({ 'Stay as they are': 1, 'Were undone before': 1 })
    expect(undoIn(again)).toBeNull()
  })

  it('undoes nothing twice of a form that is sent twice, one after the other or at once', async () => {
    const { sku, added, check } = await importPair()
    const fields = undoIn(await dashboard.get(undoOf(check))) ?? {}
    const send = () => dashboard.post(undoOf(check), fields)
    const pages = [...(await Promise.all([send(), send()])), await send()]
    const counts = { 'Got back what they had': 1, 'Were deactivated': 1 }
    for (const page of pages) expect(numbersOf(page)).toEqual(counts)
    for (const name of [sku, added]) expect(await undosOf(name)).toBe(1)
    // What somebody changes then stays, and the form still says what it has done.
    await admin.put(`/products/${sku}/`, { quantity: 8 })
    expect(numbersOf(await send())).toEqual(counts)
    expect(await productNow(sku)).toMatchObject({ quantity: 8 })
  })

  it('lets two people undo the same import at once', async () => {
    const { sku, added, check } = await importPair()
    const other = await openDashboard()
    const [mine, theirs] = [await dashboard.get(undoOf(check)), await other.get(undoOf(check))]
    const pages = await Promise.all([undoOn(dashboard, check, mine), undoOn(other, check, theirs)])
    const sum = (name: string) =>
      pages.map(numbersOf).reduce((all, each) => all + (each[name] ?? 0), 0)
    const names = ['Got back what they had', 'Were deactivated', 'Were undone before']
    expect(names.map(sum)).toEqual([1, 1, 2])
    for (const name of [sku, added]) expect(await undosOf(name)).toBe(1)
    expect(await productNow(sku)).toMatchObject({ quantity: 1 })
  })

  it('leaves what somebody changes between the question and the undo, and says who did', async () => {
    const { sku, added, check } = await importPair()
    const asked = await dashboard.get(undoOf(check))
    const { headers } = await admin.put(`/products/${sku}/`, { cost: '9' })
    const done = await undoOn(dashboard, check, asked)
    expect(numbersOf(done)).toEqual({
      ...{ 'Got back what they had': 0, 'Were deactivated': 1, 'Stayed as they are': 1 },
    })
    expect(wordsOf(done)).toContain(`${sku} It was changed since.`)
    const { id } = await productNow(sku)
    const links = linksIn(done.text)
    expect(links).toContain(`/dashboard/audit-log/${headers.get('X-Request-Id')}/`)
    expect(links).toContain(`/dashboard/products/${id}/`)
    expect(await productNow(sku)).toMatchObject({ cost: '9', quantity: 2 })
    expect(await productNow(added)).toMatchObject({ is_active: false })
  })

  inDeepPass(() => {
    it('goes on in parts, and a run that is cut off is finished by a new one', async () => {
      const skus = Array.from({ length: 160 }, () => unique('S'))
      const check = await importedBy(dashboard, `sku\n${skus.join('\n')}`)
      const asked = await dashboard.get(undoOf(check))
      expect(wordsOf(asked)).toContain('Undo 160 records')
      const first = await dashboard.post(undoOf(check), undoIn(asked) ?? {})
      expect(first.text).toContain('data-goes-on')
      const done = numbersOf(first)['Were deactivated'] ?? 0
      expect(done).toBeGreaterThan(0)
      expect(done).toBeLessThan(160)
      expect(wordsOf(first)).toContain(`${done} of 160 records are done`)
      // Somebody closes the page, and another one asks anew.
      const { asked: anew, done: rest } = await undoAll(await openDashboard(), check)
      expect(numbersOf(anew)).toEqual({
        ...{
          'Get back what they had': 0,
          'Are deactivated': 160 - done,
          'Were undone before': done,
        },
      })
      expect(wordsOf(rest)).toContain('160 of 160 records are done')
      // The first page goes on, and finds all done.
      const late = await undoOn(dashboard, check, first)
      expect(numbersOf(late)).toEqual({
        ...{ 'Got back what they had': 0, 'Were deactivated': done },
        'Were undone before': 160 - done,
      })
    }, 120_000)

    it('needs no more parts than there are', async () => {
      const skus = Array.from({ length: 150 }, () => unique('S'))
      const check = await importedBy(dashboard, `sku\n${skus.join('\n')}`)
      const fields = undoIn(await dashboard.get(undoOf(check))) ?? {}
      await undoOn(dashboard, check, await dashboard.post(undoOf(check), fields))
      // What is done already takes no time, so all of it is one part.
      const again = await dashboard.post(undoOf(check), fields)
      expect(wordsOf(again)).toContain('150 of 150 records are done')
      expect(undoIn(again)).toBeNull()
    }, 120_000)

    it('does not undo what is imported after the question', async () => {
      const skus = Array.from({ length: 160 }, () => unique('S'))
      const checked = await dashboard.post(importOf('products'), {
        document: `sku\n${skus.join('\n')}`,
      })
      const check = checked.headers.get('X-Request-Id') ?? ''
      const first = await dashboard.post(`${importOf('products')}run/`, carriedBy(checked) ?? {})
      const asked = await dashboard.get(undoOf(check))
      const number = numbersOf(first).Created
      await dashboard.post(`${importOf('products')}run/`, carriedBy(first) ?? {})
      const done = await undoOn(dashboard, check, asked)
      expect(numbersOf(done)['Were deactivated']).toBe(number)
      expect(await productNow(skus.at(-1) ?? '')).toMatchObject({ is_active: true })
    }, 120_000)
  })

  it.each([
    ['no run', { run: 'x' }],
    ['no place', { after: '-1' }],
    ['other results', { results: '{}' }],
    ['results that are no JSON', { results: '[' }],
  ])('refuses %s, and undoes nothing', async (_, wrong) => {
    const { sku, check } = await importPair()
    const fields = undoIn(await dashboard.get(undoOf(check)))
    expect((await dashboard.post(undoOf(check), { ...fields, ...wrong })).status).toBe(400)
    expect(await productNow(sku)).toMatchObject({ quantity: 2 })
  })
})

const WORDS: Record<string, string> = {
  'Got back what they had': 'Get back what they had',
  'Were deactivated': 'Are deactivated',
  'Stayed as they are': 'Stay as they are',
}

/** What the question calls what the result counts. */
const foretold = (name: string) => WORDS[name] ?? name

async function undosOf(name: string): Promise<number | null> {
  return await oneValue(
    `select count(*) as times from audit_log
     where record_name = ? and path glob '/dashboard/audit-log/*/undo/' and status < 300`,
    name,
  )
}

describe('the undo of an import', () => {
  it('is linked from its result, and from the pages of its check, its parts and its rows', async () => {
    const { sku } = await createProduct(admin, { quantity: 1 })
    const document = `sku;quantity\n${sku};2\n`
    const { checked, done } = await importAll(dashboard, 'products', document)
    const check = checked.headers.get('X-Request-Id') ?? ''
    expect(linksIn(done.text)).toContain(undoOf(check))
    const part = done.headers.get('X-Request-Id') ?? ''
    for (const id of [check, part, await rowOf(sku)]) {
      const at = `/dashboard/audit-log/${id}/`
      await expect.poll(async () => (await dashboard.get(at)).status).toBe(200)
      expect(linksIn((await dashboard.get(at)).text)).toContain(undoOf(check))
    }
  })

  it.each([
    [
      'a check that nobody has followed',
      async () => dashboard.post(importOf('products'), { document: 'sku\nA' }),
    ],
    ['a request of a client', async () => admin.post('/products/', { sku: unique('S') })],
  ])('is not linked from %s, and has nothing to do', async (_, act) => {
    const id = (await act()).headers.get('X-Request-Id') ?? ''
    const at = `/dashboard/audit-log/${id}/`
    await expect.poll(async () => (await dashboard.get(at)).status).toBe(200)
    expect(linksIn((await dashboard.get(at)).text)).not.toContain(undoOf(id))
    const page = await dashboard.get(undoOf(id))
    expect(page.status).toBe(200)
    expect(wordsOf(page)).toContain('There is nothing to undo')
  })

  it('is there for no request that the log does not have', async () => {
    const id = crypto.randomUUID()
    expect((await dashboard.get(undoOf(id))).status).toBe(404)
    expect((await dashboard.post(undoOf(id))).status).toBe(404)
  })

  it.each([
    [['settings.audit.read', 'integrations.products.read'], 'integrations.products.write'],
    [['settings.audit.read', 'integrations.locations.*'], 'integrations.products.write'],
    [['integrations.products.*'], 'settings.audit.read'],
  ])('is closed to a key with %j, which lacks %s', async (scopes, lacked) => {
    const { sku, check } = await importPair()
    const fields = undoIn(await dashboard.get(undoOf(check))) ?? {}
    const other = await openDashboard(scopes)
    const pages = [await other.get(undoOf(check)), await other.post(undoOf(check), fields)]
    for (const page of pages) {
      expect(page.status).toBe(403)
      expect(page.text).toContain(lacked)
    }
    const row = await other.get(`/dashboard/audit-log/${await rowOf(sku)}/`)
    expect(linksIn(row.text)).not.toContain(undoOf(check))
    expect(await productNow(sku)).toMatchObject({ quantity: 2 })
  })

  it('leaves what it has created to a key that may not deactivate, and says which scope it takes', async () => {
    const { sku, added, check } = await importPair()
    const other = await openDashboard(['settings.audit.read', 'integrations.products.write'])
    const { asked, done } = await undoAll(other, check)
    expect(numbersOf(asked)).toEqual({ 'Get back what they had': 1, 'Stay as they are': 1 })
    expect(numbersOf(done)).toEqual({ 'Got back what they had': 1, 'Stayed as they are': 1 })
    expect(wordsOf(done)).toContain('to deactivate it you need integrations.products.delete')
    expect(await productNow(sku)).toMatchObject({ quantity: 1 })
    expect(await productNow(added)).toMatchObject({ is_active: true })
  })

  it('stops as soon as the key may write no more', async () => {
    const { sku, check } = await importPair()
    const { id, value } = await createKey(['settings.audit.read', 'integrations.products.*'])
    const session = await openDashboard([], { key: value })
    const fields = undoIn(await session.get(undoOf(check))) ?? {}
    const scopes = ['settings.audit.read', 'integrations.products.read']
    await admin.put(`/api/settings/v1/api-keys/${id}/`, { scopes })
    expect((await session.post(undoOf(check), fields)).status).toBe(403)
    expect(await productNow(sku)).toMatchObject({ quantity: 2 })
  })

  it('finds no import of another tenant', async () => {
    const { sku, check } = await importPair()
    await openTenant('other')
    const other = await openOther()
    expect((await other.get(undoOf(check))).status).toBe(404)
    expect((await other.post(undoOf(check))).status).toBe(404)
    expect(await productNow(sku)).toMatchObject({ quantity: 2 })
  })

  it('names the first hundred of those that stay, and counts the others', async () => {
    const skus = Array.from({ length: 103 }, () => unique('S'))
    const check = await importedBy(dashboard, `sku\n${skus.join('\n')}`)
    const list = JSON.stringify(skus)
    await execute(
      `update products set quantity = 1, version = version + 1, changed_in = 0, changed_by = null
       where sku in (select value from json_each(?))`,
      list,
    )
    const page = await dashboard.get(undoOf(check))
    expect(numbersOf(page)).toMatchObject({ 'Stay as they are': 103 })
    expect(wordsOf(page)).toContain('3 more are not listed.')
    const shown = skus.filter((sku) => page.text.includes(`>${sku}<`))
    expect(shown).toHaveLength(100)
  }, 60_000)
})

describe('an import that is old', () => {
  const forget = async (check: string) => {
    const read =
      'delete from replaced_values where changed_in in (select seq from audit_log where replay_of = ?)'
    await execute(read, check)
  }
  const leave = async (sku: string) =>
    await execute('delete from audit_log where request_id = ?', await rowOf(sku))

  it('keeps what its values are not remembered of, and says why', async () => {
    const { sku, added, check } = await importPair()
    await forget(check)
    const { done } = await undoAll(dashboard, check)
    expect(numbersOf(done)).toEqual({
      ...{ 'Got back what they had': 0, 'Were deactivated': 1, 'Stayed as they are': 1 },
    })
    expect(wordsOf(done)).toContain('What it had before is not remembered any more.')
    expect(await productNow(sku)).toMatchObject({ quantity: 2 })
    expect(await productNow(added)).toMatchObject({ is_active: false })
  })

  it('undoes the rows that the log still has, and says since when it has all', async () => {
    const { sku, added, check } = await importPair()
    await leave(sku)
    await execute(
      'delete from audit_log where seq < (select seq from audit_log where request_id = ?)',
      await rowOf(added),
    )
    const { asked, done } = await undoAll(dashboard, check)
    expect(wordsOf(asked)).toContain('Rows that were imported before are not among these')
    expect(numbersOf(done)).toEqual({ 'Got back what they had': 0, 'Were deactivated': 1 })
    expect(await productNow(sku)).toMatchObject({ quantity: 2 })
  })

  it('has nothing to undo when all its rows have left', async () => {
    const { sku, added, check } = await importPair()
    const asked = await dashboard.get(undoOf(check))
    await leave(sku)
    await leave(added)
    const done = await dashboard.post(undoOf(check), undoIn(asked) ?? {})
    expect(wordsOf(done)).toContain('There is nothing to undo')
    expect(await productNow(sku)).toMatchObject({ quantity: 2 })
    expect(await productNow(added)).toMatchObject({ is_active: true })
  })
})
