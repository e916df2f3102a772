import { describe, expect, it } from 'vitest'
import { IDENTIFIERS } from '../../src/engine/mapping/identifier.ts'
import { inDeepPass } from '../fixtures/depth.ts'
import { admin, db } from '../fixtures/opened.ts'
import { saveMapping } from '../fixtures/partner.ts'
import { expectInvalid, expectRefusal } from '../fixtures/refusal.ts'
import { utc, uuid } from '../fixtures/settings.ts'
import { oneValue } from '../fixtures/sql.ts'
import { type Json, openAdmin, openTenant, unique } from '../fixtures/tenant.ts'
import {
  BAD_NAMES,
  deletePartner,
  fieldsWarned,
  findPartner,
  IDENTIFIER_FIELDS,
  idsOf,
  listPages,
  makeDeleted,
  makePartner,
  NO_IDENTIFIER_FIELDS,
  PARTNERS,
  PAST,
  rowOf,
  warmUp,
} from './partners.ts'

const partnerCount = () => oneValue('select count(*) from partners')

describe('POST /partners/', () => {
  it('answers exactly the record', async () => {
    const name = unique('Acme')
    const { status, body } = await admin.post(PARTNERS, { name })
    expect([status, body]).toEqual([
      201,
      {
        success: true,
        data: {
          id: uuid,
          name,
          default_identifier_field: null,
          keep_documents: null,
          pause: null,
          created_at: utc,
          updated_at: utc,
        },
      },
    ])
    expect(body.data.updated_at).toBe(body.data.created_at)
    expect(await findPartner(body.data.id)).toEqual(body.data)
  })

  it('needs a name', async () => {
    expectInvalid(await admin.post(PARTNERS, {}), 'name')
    expectInvalid(await admin.post(PARTNERS), 'name')
  })

  it.each(BAD_NAMES)('refuses a name that is %s', async (_, name) => {
    const before = await partnerCount()
    expectInvalid(await admin.post(PARTNERS, { name }), 'name')
    expect(await partnerCount()).toBe(before)
  })

  it('takes a name of 255 characters and one in another script', async () => {
    for (const name of ['é'.repeat(255), '取引先', '😀'.repeat(255)]) {
      expect((await makePartner({ name })).name).toBe(name)
    }
  })

  it('is 409 DUPLICATE for a name that another partner has', async () => {
    const { name } = await makePartner()
    const before = await partnerCount()
    const answer = await admin.post(PARTNERS, { name })
    expectRefusal(answer, 409, 'DUPLICATE', `A partner with the name "${name}" already exists.`)
    expect(Object.keys(answer.body.error.fields)).toEqual(['name'])
    expect(await partnerCount()).toBe(before)
  })

  it('is 409 DUPLICATE for a name that differs in white space at its ends', async () => {
    const { name } = await makePartner()
    expectRefusal(await admin.post(PARTNERS, { name: ` ${name}\u00a0` }), 409, 'DUPLICATE')
  })

  it('compares names exactly but for that', async () => {
    const name = unique('Exact one')
    for (const other of [name, name.toLowerCase(), name.replace(' ', '  ')]) {
      expect((await makePartner({ name: other })).name).toBe(other)
    }
  })

  it('lets exactly one of several concurrent requests have the name', async () => {
    for (let round = 0; round < 5; round++) {
      const name = unique('race')
      await warmUp()
      const answers = await Promise.all(
        Array.from({ length: 2 + round }, () => admin.post(PARTNERS, { name })),
      )
      const statuses = answers.map(({ status }) => status).toSorted()
      expect(statuses).toEqual([201, ...Array.from({ length: 1 + round }, () => 409)])
      const [winner] = answers.filter(({ status }) => status === 201)
      const rows = await db.prepare('select id from partners where name = ?').bind(name).all()
      expect(rows.results).toEqual([{ id: winner?.body.data.id }])
    }
  })

  inDeepPass(() => {
    it('lets exactly one have the name while settings change, and asks the rest to retry', async () => {
      for (let round = 0; round < 5; round++) {
        const name = unique('race')
        await makePartner()
        const answers = await Promise.all(
          Array.from({ length: 2 + round }, () => admin.post(PARTNERS, { name })),
        )
        expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
        for (const { status, headers } of answers) {
          expect([201, 409, 503]).toContain(status)
          expect(headers.get('Retry-After')).toBe(status === 503 ? '1' : null)
        }
        expectRefusal(await admin.post(PARTNERS, { name }), 409, 'DUPLICATE')
        const rows = await db.prepare('select id from partners where name = ?').bind(name).all()
        expect(rows.results).toHaveLength(1)
      }
    })
  })

  it('lets the name of a deleted partner be used again', async () => {
    const deleted = await makePartner()
    await saveMapping(admin, deleted.id, 'orders', { inbound: { fields: { notes: 'memo' } } })
    await deletePartner(deleted.id)
    const { id, name } = await makePartner({ name: deleted.name })
    expect(name).toBe(deleted.name)
    expect(id).not.toBe(deleted.id)
    expect((await admin.get(`${PARTNERS}${id}/mappings/`)).body.data).toEqual([])
    expectRefusal(await admin.post(PARTNERS, { name }), 409, 'DUPLICATE')
  })

  it.each(IDENTIFIER_FIELDS)('takes default_identifier_field %s', async (field) => {
    const { id, default_identifier_field } = await makePartner({ default_identifier_field: field })
    expect(default_identifier_field).toBe(field)
    expect((await findPartner(id)).default_identifier_field).toBe(field)
  })

  it.each(NO_IDENTIFIER_FIELDS)('refuses default_identifier_field %j', async (field) => {
    const before = await partnerCount()
    const fields = { name: unique('x'), default_identifier_field: field }
    expectInvalid(await admin.post(PARTNERS, fields), 'default_identifier_field')
    expect(await partnerCount()).toBe(before)
  })

  it('says which fields default_identifier_field may name', async () => {
    const fields = { name: unique('x'), default_identifier_field: 'number' }
    const { body } = await admin.post(PARTNERS, fields)
    const [message] = body.error.fields.default_identifier_field
    for (const field of IDENTIFIER_FIELDS) expect(message).toContain(field)
    const all = Object.values(IDENTIFIERS).flatMap((one) => one.fields)
    expect(new Set(IDENTIFIER_FIELDS)).toEqual(new Set(all))
  })

  it('takes default_identifier_field null', async () => {
    const { default_identifier_field } = await makePartner({ default_identifier_field: null })
    expect(default_identifier_field).toBeNull()
  })

  it('names every bad field at once', async () => {
    const answer = await admin.post(PARTNERS, { name: '', default_identifier_field: 'x' })
    expectInvalid(answer, 'name', 'default_identifier_field')
  })

  it('names the fields that have no effect', async () => {
    const extra = { id: 'mine', created_at: PAST, deleted_at: PAST, mappings: {}, colour: 'red' }
    const answer = await admin.post(PARTNERS, { name: unique('x'), ...extra })
    expect(answer.body.data).toMatchObject({
      id: uuid,
      created_at: expect.not.stringMatching(PAST),
    })
    expect(fieldsWarned(answer)).toEqual(Object.keys(extra))
    expect((await rowOf(answer.body.data.id))?.deleted_at).toBeNull()
  })
})

describe('GET /partners/', () => {
  it('lists the same records that GET of one answers, newest first', async () => {
    const made = [await makePartner({ default_identifier_field: 'sku' }), await makePartner()]
    const { status, body } = await admin.get(`${PARTNERS}?limit=2`)
    expect([status, body.success]).toEqual([200, true])
    expect(body.data).toEqual(made.toReversed())
  })

  it('is an empty list where there is none', async () => {
    const other = await openAdmin('other')
    const others = await openTenant('other')
    await others.prepare('update partners set deleted_at = created_at').run()
    const { status, body } = await other.get(PARTNERS)
    expect([status, body]).toEqual([
      200,
      { success: true, data: [], pagination: { limit: 50, next_cursor: null } },
    ])
  })

  it('does not list deleted partners, and pages past them', async () => {
    const kept: Json[] = []
    for (let turn = 0; turn < 3; turn++) {
      kept.push(await makePartner())
      await makeDeleted()
    }
    const pages = await listPages(admin, 2)
    expect(pages.slice(0, -1).every(({ length }) => length === 2)).toBe(true)
    const ids = idsOf(pages.flat())
    expect(ids.slice(0, 3)).toEqual(idsOf(kept).toReversed())
    const live = await db.prepare('select id from partners where deleted_at is null').all()
    expect(ids.toSorted()).toEqual(idsOf(live.results).toSorted())
  })

  inDeepPass(() => {
    it('ends a full last page with null', async () => {
      await makePartner()
      const live = (await listPages(admin, 200)).flat().length
      const last = (await listPages(admin, 1)).at(-1)
      expect(last).toHaveLength(1)
      expect(await listPages(admin, 1)).toHaveLength(live)
    })
  })

  it('keeps its place when partners are made and changed meanwhile', async () => {
    const older = [await makePartner(), await makePartner()]
    const newer = await makePartner()
    const first = (await admin.get(`${PARTNERS}?limit=1`)).body
    await makePartner()
    const name = unique('renamed')
    await admin.put(`${PARTNERS}${older[0].id}/`, { name })
    const cursor = first.pagination.next_cursor
    const second = (await admin.get(`${PARTNERS}?limit=2&cursor=${cursor}`)).body
    const seen = [...first.data, ...second.data]
    expect(idsOf(seen)).toEqual(idsOf([newer, ...older.toReversed()]))
    expect(seen[2].name).toBe(name)
  })
})

describe('GET /partners/{id}/', () => {
  it('answers the record', async () => {
    const record = await makePartner({ default_identifier_field: 'external_order_id' })
    const answer = await admin.get(`${PARTNERS}${record.id}/`)
    expect([answer.status, answer.body]).toEqual([200, { success: true, data: record }])
  })

  it('is 404 for an unknown id, and for a name in its place', async () => {
    const { name } = await makePartner()
    for (const place of [crypto.randomUUID(), name, '1', '%00']) {
      expectRefusal(await admin.get(`${PARTNERS}${place}/`), 404, 'NOT_FOUND')
    }
  })
})
