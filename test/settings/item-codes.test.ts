import { describe, expect, it } from 'vitest'
import { admin } from '../fixtures/opened.ts'
import { everyPage } from '../fixtures/pages-read.ts'
import { expectInvalid } from '../fixtures/refusal.ts'
import { oneRow } from '../fixtures/sql.ts'
import { client, createKey, type Json, send, unique } from '../fixtures/tenant.ts'
import { changesOf, codesOf, enter, newestChange, openCodes } from './item-codes.ts'
import { deletePartner, PARTNERS } from './partners.ts'

const count = (partner: string) =>
  oneRow<{ codes: number; version: number }>(
    'select codes, version from item_code_tables where partner_id = ?',
    partner,
  )

describe('PUT /partners/{id}/item-codes/products/{code}/', () => {
  it('enters a code before its product exists, with one unit unless it says more', async () => {
    const { codes } = await openCodes()
    const sku_code = unique('S')
    const { status, body } = await admin.put(`${codes}K1/`, { sku_code })
    expect([status, body.data]).toEqual([200, { code: 'K1', sku_code, units: 1 }])
    expect((await admin.get(`${codes}K1/`)).body.data).toEqual({ code: 'K1', sku_code, units: 1 })
  })

  it('changes what a code stands for, and counts it once', async () => {
    const { codes, partner } = await openCodes()
    await admin.put(`${codes}K1/`, { sku_code: 'A' })
    await admin.put(`${codes}K1/`, { sku_code: 'B', units: 12 })
    expect((await admin.get(`${codes}K1/`)).body.data).toEqual({
      code: 'K1',
      sku_code: 'B',
      units: 12,
    })
    expect(await count(partner)).toEqual({ codes: 1, version: 2 })
  })

  it.each([0, 1_000_001, 1.5, '12', null])('refuses %s units', async (units) => {
    const { codes } = await openCodes()
    expectInvalid(await admin.put(`${codes}K1/`, { sku_code: 'A', units }), 'units')
  })

  it('takes 1,000,000 units, and codes that a path has to escape', async () => {
    const { codes } = await openCodes()
    const path = `${codes}${encodeURIComponent('A/1 ü?')}/`
    await admin.put(path, { sku_code: 'A', units: 1_000_000 })
    expect((await admin.get(path)).body.data).toEqual({
      code: 'A/1 ü?',
      sku_code: 'A',
      units: 1_000_000,
    })
  })

  it('says that units of a location have no effect', async () => {
    const { codes } = await openCodes('locations')
    const { body } = await admin.put(`${codes}W1/`, { location_code: 'A-1', units: 2 })
    expect(body.data).toEqual({ code: 'W1', location_code: 'A-1' })
    expect(body.warnings).toMatchObject([{ field: 'units' }])
  })

  it('is 404 for a partner that there is not', async () => {
    const stray = await admin.put(`${codesOf(crypto.randomUUID())}K1/`, { sku_code: 'A' })
    expect([stray.status, stray.body.error.reason]).toEqual([404, 'UNKNOWN_RECORD'])
    const { codes, partner } = await openCodes()
    await deletePartner(partner)
    expect((await admin.put(`${codes}K1/`, { sku_code: 'A' })).status).toBe(404)
    expect((await admin.get(codes)).status).toBe(404)
  })

  it('is a change of the partner in the history, with what the code stood for', async () => {
    const { codes, partner } = await openCodes()
    await admin.put(`${codes}K1/`, { sku_code: 'A' })
    await admin.put(`${codes}K1/`, { sku_code: 'B', units: 6 })
    const change = await newestChange(partner)
    expect(change).toMatchObject({
      kind: 'partner',
      action: 'changed',
      fields: ['item_codes.products'],
      source: 'api',
      before: { 'item_codes.products': { code: 'K1', name: 'A', units: 1 } },
      after: { 'item_codes.products': { code: 'K1', name: 'B', units: 6 } },
    })
  })

  it('leaves no entry in the history if nothing changes', async () => {
    const { codes, partner } = await openCodes()
    await admin.put(`${codes}K1/`, { sku_code: 'A' })
    const before = await changesOf(partner)
    await admin.put(`${codes}K1/`, { sku_code: 'A' })
    expect(await changesOf(partner)).toBe(before)
    expect(await count(partner)).toEqual({ codes: 1, version: 1 })
  })

  it('takes no step of settings_version: callers stay cached', async () => {
    const { codes } = await openCodes()
    const version = () => oneRow('select settings_version from workspace')
    const before = await version()
    await admin.put(`${codes}K1/`, { sku_code: 'A' })
    await enter(codes, { K2: ['B'] })
    await admin.delete(`${codes}K1/`)
    expect(await version()).toEqual(before)
  })

  it('keeps the version of the partner, so that its form and its If-Match hold', async () => {
    const { codes, partner } = await openCodes()
    const { headers } = await admin.get(`${PARTNERS}${partner}/`)
    await admin.put(`${codes}K1/`, { sku_code: 'A' })
    const tag = { headers: { 'If-Match': headers.get('ETag') ?? '' } }
    const changed = await admin.put(`${PARTNERS}${partner}/`, { name: unique('partner') }, tag)
    expect(changed.status).toBe(200)
  })

  it('changes nothing in a dry run', async () => {
    const { codes } = await openCodes()
    const { body } = await admin.put(`${codes}K1/?dry_run=true`, { sku_code: 'A' })
    expect(body).toMatchObject({ dry_run: true, data: { code: 'K1', sku_code: 'A', units: 1 } })
    expect((await admin.get(`${codes}K1/`)).status).toBe(404)
  })
})

describe('DELETE /partners/{id}/item-codes/products/{code}/', () => {
  it('deletes the code, and is 404 the second time', async () => {
    const { codes, partner } = await openCodes()
    await enter(codes, { K1: ['A'], K2: ['B', 3] })
    const { status, body } = await admin.delete(`${codes}K2/`)
    expect([status, body.data]).toEqual([200, { code: 'K2' }])
    expect((await newestChange(partner)).before).toEqual({
      'item_codes.products': { code: 'K2', name: 'B', units: 3 },
    })
    const again = await admin.delete(`${codes}K2/`)
    expect([again.status, again.body.error.message]).toEqual([
      404,
      'The partner has no item code "K2" for a product.',
    ])
    expect((await count(partner))?.codes).toBe(1)
  })
})

describe('PUT /partners/{id}/item-codes/products/', () => {
  it('enters rows one by one: bad ones are listed, and the others are saved', async () => {
    const { codes } = await openCodes()
    await enter(codes, { K1: ['A'], K2: ['B'] })
    const { status, body } = await admin.put(codes, {
      item_codes: [
        { code: 'K1', sku_code: 'A' },
        { code: 'K2', sku_code: 'B', units: 4 },
        { code: 'K3', sku_code: 'C', colour: 'red' },
        { code: ' K4', sku_code: 'D' },
        { code: 'K5' },
        'K6',
      ],
    })
    expect(status).toBe(200)
    expect(body.data).toEqual({
      total: 6,
      created: 1,
      updated: 1,
      unchanged: 1,
      removed: 0,
      failed: 3,
      errors: [
        { row: 3, code: ' K4', errors: { code: ['Must not begin or end with white space.'] } },
        { row: 4, code: 'K5', errors: { sku_code: ['This field is required.'] } },
        { row: 5, code: '', errors: { row: ['Must be an object, not a string.'] } },
      ],
    })
    expect(body.warnings).toMatchObject([{ field: 'item_codes[].colour' }])
  })

  it('lets the last row of a code count, and says so', async () => {
    const { codes } = await openCodes()
    const item_codes = ['A', 'B', 'C'].map((sku_code) => ({ code: 'K1', sku_code }))
    const { body } = await admin.put(codes, { item_codes })
    expect(body.data).toMatchObject({ total: 3, created: 1, updated: 0, unchanged: 0 })
    expect(body.warnings).toEqual([
      {
        field: 'item_codes[2]',
        message: 'Row 2 has the code of row 0: the last one counts.',
        code: 'CODE_REPEATED',
      },
    ])
    expect((await admin.get(`${codes}K1/`)).body.data.sku_code).toBe('C')
  })

  it('removes with replace=true what no row names, but not what a failed row names', async () => {
    const { codes, partner } = await openCodes()
    await enter(codes, { K1: ['A'], K2: ['B'], K3: ['C'], K4: ['D'] })
    const item_codes = [
      { code: 'K1', sku_code: 'X' },
      { code: 'K2' },
      { code: 'K9', sku_code: 'Y' },
    ]
    const { body } = await admin.put(`${codes}?replace=true`, { item_codes })
    expect(body.data).toMatchObject({ created: 1, updated: 1, removed: 2, failed: 1 })
    const { data } = (await admin.get(codes)).body
    expect(data.map(({ code, sku_code }: Json) => [code, sku_code])).toEqual([
      ['K1', 'X'],
      ['K2', 'B'],
      ['K9', 'Y'],
    ])
    expect((await count(partner))?.codes).toBe(3)
  })

  it('removes all codes with replace=true and no row', async () => {
    const { codes, partner } = await openCodes()
    await enter(codes, { K1: ['A'], K2: ['B'] })
    const { body } = await admin.put(`${codes}?replace=true`, { item_codes: [] })
    expect(body.data).toMatchObject({ total: 0, removed: 2 })
    expect((await admin.get(codes)).body.data).toEqual([])
    expect((await count(partner))?.codes).toBe(0)
  })

  it('tells in a dry run what it would do, and does nothing', async () => {
    const { codes } = await openCodes()
    await enter(codes, { K1: ['A'], K2: ['B'], K3: ['C'] })
    const item_codes = [
      { code: 'K1', sku_code: 'X' },
      { code: 'K2', sku_code: 'B' },
      { code: 'K9', sku_code: 'Y' },
    ]
    const asked = `${codes}?replace=true`
    const dry = await admin.put(`${asked}&dry_run=true`, { item_codes })
    expect((await admin.get(codes)).body.data).toHaveLength(3)
    const real = await admin.put(asked, { item_codes })
    expect(dry.body.data).toEqual(real.body.data)
    expect(real.body.data).toMatchObject({ created: 1, updated: 1, unchanged: 1, removed: 1 })
  })

  it('leaves one entry with counts in the history, however many codes it changes', async () => {
    const { codes, partner } = await openCodes()
    const before = await changesOf(partner)
    await enter(codes, { K1: ['A'], K2: ['B'], K3: ['C'] })
    expect(await changesOf(partner)).toBe(before + 1)
    expect(await newestChange(partner)).toMatchObject({
      fields: ['item_codes.products'],
      before: { 'item_codes.products': { codes: 0 } },
      after: { 'item_codes.products': { codes: 3, created: 3, updated: 0, removed: 0 } },
    })
  })

  it('refuses another value of replace, and warns of a parameter that it does not know', async () => {
    const { codes } = await openCodes()
    expectInvalid(await admin.put(`${codes}?replace=yes`, { item_codes: [] }), 'replace')
    const { body } = await admin.put(`${codes}?replac=true`, { item_codes: [] })
    expect(body.warnings).toMatchObject([{ field: 'replac' }])
  })

  it('refuses an API key as a code: lists and histories would show it', async () => {
    const { codes } = await openCodes()
    const { value } = await createKey()
    const { body } = await admin.put(codes, { item_codes: [{ code: value, sku_code: 'A' }] })
    expect(body.data).toMatchObject({ failed: 1, created: 0 })
    expect(body.data.errors[0].errors.code[0]).toContain('API key')
  })
})

const SETTINGS = ['settings.*']
const csv = { headers: { 'Content-Type': 'text/csv' } }
const putCsv = async (path: string, text: string, type = 'text/csv') => {
  const { value } = await createKey(SETTINGS)
  const request = new Request(`https://demo.example${path}`, {
    method: 'PUT',
    headers: { 'X-API-Key': value, 'Content-Type': type },
    body: text,
  })
  return await send(request)
}

describe('PUT /partners/{id}/item-codes/products/ of a CSV file', () => {
  it('takes columns in any order, quoted cells and a byte order mark', async () => {
    const { codes } = await openCodes()
    const file = '\ufeffsku_code,units,code\r\n"A,1",12,K1\r\nB,,"K""2"\r\n\r\n'
    const { status, body } = await putCsv(codes, file, 'text/csv; charset=utf-8')
    expect([status, body.error]).toEqual([200, undefined])
    expect((await admin.get(codes)).body.data).toEqual([
      { code: 'K"2', sku_code: 'B', units: 1 },
      { code: 'K1', sku_code: 'A,1', units: 12 },
    ])
  })

  it('lists rows that have failed by their number', async () => {
    const { codes } = await openCodes()
    const { body } = await putCsv(codes, 'code,sku_code,units\nK1,A,many\nK2,B,2\n,C,1\n')
    expect(body.data).toMatchObject({
      created: 1,
      failed: 2,
      errors: [
        { row: 0, code: 'K1', errors: { units: ['Must be an integer, not a string.'] } },
        { row: 2, code: '', errors: { code: ['This field is required.'] } },
      ],
    })
  })

  it.each([
    ['code,sku\nK1,A', 'The first line must name the columns code, sku_code, units. It has "sku"'],
    ['code,units\nK1,1', 'It lacks "sku_code".'],
    ['', 'The body has no row with the names of its columns.'],
    ['code,sku_code\nK1,A,B', 'Row 2 has 3 cells, and row 1 names 2 columns'],
    ['code,sku_code\nK1,"A', 'a quote is not closed'],
    ['code|sku_code\nK1|A', 'It has "code|sku_code" too much.'],
    ['code;sku_code\nK1;A;B', 'put a text with semicolons in quotes.'],
  ])('refuses %j as a whole', async (file, message) => {
    const { codes } = await openCodes()
    const { status, body } = await putCsv(codes, file)
    expect([status, body.error?.code]).toEqual([400, 'VALIDATION_ERROR'])
    expect(body.error.fields?.body[0] ?? body.error.message).toContain(message)
  })

  it.each([
    ['semicolons', 'code;sku_code;units\nK1;"A;1";2'],
    ['tabs', 'code\tsku_code\tunits\nK1\tA;1\t2'],
  ])('takes %s between cells', async (_, file) => {
    const { codes } = await openCodes()
    expect((await putCsv(codes, file)).body.data).toMatchObject({ created: 1, failed: 0 })
    expect((await admin.get(codes)).body.data).toEqual([{ code: 'K1', sku_code: 'A;1', units: 2 }])
  })

  it('refuses what is not UTF-8, and other types as before', async () => {
    const { codes } = await openCodes()
    const latin = new Request(`https://demo.example${codes}`, {
      method: 'PUT',
      headers: { 'X-API-Key': (await createKey(SETTINGS)).value, ...csv.headers },
      body: new Uint8Array([0x63, 0xe9]),
    })
    expect((await send(latin)).body.error).toMatchObject({
      reason: 'MALFORMED_BODY',
      message: expect.stringContaining('The body is not in utf-8.'),
    })
    expect((await putCsv(codes, 'code,sku_code\n', 'text/xml')).status).toBe(415)
  })

  it('takes back what an export gives', async () => {
    const { codes } = await openCodes()
    await enter(codes, { '=1+1': ['A', 2], 'K,1': ['B'], 'K"': ['ü'] })
    const file = await admin.get(codes, { headers: { Accept: 'text/csv' } })
    expect(file.headers.get('Content-Type')).toContain('text/csv')
    expect(file.text).toBe('code,sku_code,units\r\n=1+1,A,2\r\n"K""",ü,1\r\n"K,1",B,1\r\n')
    const { body } = await putCsv(`${codes}?replace=true`, file.text)
    expect(body.data).toMatchObject({ total: 3, unchanged: 3, removed: 0 })
  })
})

describe('GET /partners/{id}/item-codes/products/', () => {
  it('lists codes in their order, page by page, and those that begin with a text', async () => {
    const { codes } = await openCodes()
    const names = ['A', 'B1', 'B10', 'B2', 'Ba', 'C']
    await enter(codes, Object.fromEntries(names.map((name) => [name, ['S']])))
    const seen: string[] = []
    for await (const { body } of everyPage(admin, `${codes}?limit=2`)) {
      seen.push(...body.data.map(({ code }: Json) => code))
    }
    expect(seen).toEqual(names)
    const { body } = await admin.get(`${codes}?search=B1`)
    expect(body.data.map(({ code }: Json) => code)).toEqual(['B1', 'B10'])
  })

  it('refuses a cursor of another partner, of another kind and of another search', async () => {
    const { codes, partner } = await openCodes()
    const { codes: others } = await openCodes()
    await enter(codes, { A: ['S'], B: ['S'], C: ['S'] })
    const { next_cursor } = (await admin.get(`${codes}?limit=1`)).body.pagination
    for (const path of [`${others}?`, `${codesOf(partner, 'locations')}?`, `${codes}?search=A&`]) {
      expectInvalid(await admin.get(`${path}cursor=${next_cursor}`), 'cursor')
    }
    expect((await admin.get(`${codes}?cursor=${next_cursor}`)).body.data).toHaveLength(2)
  })

  it('keeps the codes of partners and of kinds apart', async () => {
    const { codes, partner } = await openCodes()
    const { codes: others } = await openCodes()
    await enter(codes, { K1: ['A'] })
    await admin.put(`${codesOf(partner, 'locations')}K1/`, { location_code: 'L' })
    await enter(others, { K1: ['B'] })
    expect((await admin.get(codes)).body.data).toEqual([{ code: 'K1', sku_code: 'A', units: 1 }])
    await admin.put(`${codes}?replace=true`, { item_codes: [] })
    expect((await admin.get(others)).body.data).toHaveLength(1)
    expect((await admin.get(codesOf(partner, 'locations'))).body.data).toHaveLength(1)
  })

  it('needs the scopes of the partner', async () => {
    const { codes } = await openCodes()
    const reader = client((await createKey(['settings.partners.read'])).value)
    expect((await reader.get(codes)).status).toBe(200)
    expect((await reader.put(codes, { item_codes: [] })).status).toBe(403)
    const other = client((await createKey(['integrations.*'])).value)
    expect((await other.get(codes)).status).toBe(403)
  })
})
