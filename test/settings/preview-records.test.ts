import { describe, expect, it } from 'vitest'
import { type Json, unique } from '../fixtures/tenant.ts'
import { admin, dataOf, fieldsWarned, preview } from './previews.ts'

const fields = {
  order_number: 'o[].n',
  'items[].sku_code': 'o[].s[]',
  'items[].quantity': { value: 1 },
}
const mapping = { inbound: { records: { each: 'o[]' }, fields } }

describe('POST /partners/{id}/mappings/{resource}/preview/ of a document with several records', () => {
  it('shows what would become of each', async () => {
    const sku = unique('S')
    await admin.post('/products/', { sku })
    const [one, two] = [unique('A'), unique('B')]
    const o = [{ n: one, s: [sku], x: 1 }, { n: two, s: ['none'] }, { n: 5, s: [sku] }, 'no']
    const { records, ...all } = dataOf(await preview({ mapping, payload: { o } }))
    expect(all).toEqual({
      mapped: null,
      problems: [],
      errors: [],
      provenance: {},
      would_answer: { status: 200, code: null },
      unread: ['o[].x'],
    })
    expect(records[0]).toEqual({
      index: 0,
      record: one,
      mapped: { order_number: one, items: [{ sku_code: sku, quantity: 1 }] },
      problems: [],
      errors: [],
      provenance: {
        order_number: 'o[0].n',
        'items[0].sku_code': 'o[0].s[0]',
        'items[0].quantity': null,
      },
      would_answer: { status: 201, code: null },
    })
    expect(records.map(({ would_answer }: Json) => would_answer.code)).toEqual([
      null,
      'SERVICE_ERROR',
      'VALIDATION_ERROR',
      'MAPPING_ERROR',
    ])
    expect(records[1].errors).toMatchObject([{ source: 'o[1].s[0]' }])
    expect(records[3].problems[0]).toMatchObject({ at: 'o[3]' })
  })

  it('shows the first 50, and says so', async () => {
    const o = Array.from({ length: 51 }, (_, n) => ({ n: `${n}` }))
    const answer = await preview({ mapping, payload: { o } })
    expect(dataOf(answer).records.length).toBe(50)
    expect(fieldsWarned(answer)).toEqual(['records'])
  })

  it('says why the document has none', async () => {
    const { problems, records, would_answer } = dataOf(await preview({ mapping, payload: {} }))
    expect(problems).toMatchObject([{ reason: 'SOURCE_MISSING', at: 'o' }])
    expect([records, would_answer]).toEqual([[], { status: 422, code: 'MAPPING_ERROR' }])
  })

  it('reads one record by PUT', async () => {
    const payload = { o: [{ n: 'A' }] }
    const one = dataOf(await preview({ mapping, payload, method: 'PUT' }))
    expect([one.mapped, one.records]).toEqual([{ order_number: 'A' }, null])
    const two = dataOf(await preview({ mapping, payload: { o: [{}, {}] }, method: 'PUT' }))
    expect(two.problems).toMatchObject([{ reason: 'SEVERAL_RECORDS', expected: 1, found: 2 }])
  })
})
