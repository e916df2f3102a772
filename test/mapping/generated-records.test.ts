import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type MappedRecords, mapDocument, mapRecords } from '../../src/engine/mapping/inbound.ts'
import type { SavedRules } from '../../src/engine/mapping/saved-rule.ts'
import { SaveMapping } from '../../src/settings/mappings/schema.ts'
import { byDepth } from '../fixtures/depth.ts'
import { sent } from '../fixtures/mapped.ts'
import type { Json } from '../fixtures/tenant.ts'

const numRuns = byDepth(150, 10_000)

/** Null if it cannot be saved. */
function saved(inbound: object): SavedRules | null {
  const { data } = SaveMapping('orders').safeParse({ inbound })
  return (data?.inbound as SavedRules | undefined) ?? null
}

function mapped(rules: SavedRules, payload: Json): MappedRecords {
  return mapRecords('orders', rules, sent(payload, 'POST'))
}

const key = fc.constantFrom('A', 'B', 'C', 1, '1', '', null, undefined)
const rows = fc
  .array(
    fc.record({
      number: key,
      ref: key,
      buyer: fc.constantFrom('', null, 'Kim', 'Lou'),
      quantity: fc.integer({ min: 1, max: 9 }),
    }),
    { maxLength: 12 },
  )
  // What a row is, its SKU tells.
  .map((all) => all.map((row, at) => ({ ...row, sku: `S${at}` })))

/** The first three times in four. */
const mostly = (usual: string, ...others: string[]) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(usual) }, fc.constantFrom(...others))

const isThere = (value: unknown) => value !== undefined && value !== null && value !== ''

describe('rows grouped by their number', () => {
  const rules = saved({
    records: { each: '$[]', group_by: ['$[].number'] },
    fields: {
      order_number: { from: '$[].number', as: 'string' },
      customer_name: '$[].buyer',
      'items[].sku_code': '$[].sku',
      'items[].quantity': '$[].quantity',
    },
  })

  it('are the records of a naive implementation', () => {
    fc.assert(
      fc.property(rows, (all) => {
        const groups: { number: string | null; rows: typeof all }[] = []
        for (const row of all) {
          const number = isThere(row.number) ? String(row.number) : null
          const group = groups.find((one) => number !== null && one.number === number)
          if (group) group.rows.push(row)
          else groups.push({ number, rows: [row] })
        }
        const { records } = mapped(rules as SavedRules, all)
        expect(records.length).toBe(groups.length)
        for (const [at, { number, rows: own }] of groups.entries()) {
          const { value = {}, problems = [] } = records[at] ?? {}
          const buyers = new Set(own.map(({ buyer }) => buyer).filter(isThere))
          const reasons = [
            ...(number === null ? ['SOURCE_MISSING'] : []),
            ...(number !== null && buyers.size > 1 ? ['DIFFERS'] : []),
          ]
          expect(problems.map(({ reason }) => reason)).toEqual(reasons)
          if (reasons.length > 0) continue
          const [buyer = own[0]?.buyer] = buyers
          expect(value).toEqual({
            order_number: number,
            customer_name: buyer,
            items: own.map(({ sku, quantity }) => ({ sku_code: sku, quantity })),
          })
        }
      }),
      { numRuns },
    )
  })

  it('lose no quantity and make none', () => {
    fc.assert(
      fc.property(rows, (all) => {
        const whole = all.filter(({ number }) => isThere(number))
        const one = whole.map((row) => ({ ...row, buyer: 'Kim' }))
        const { records } = mapped(rules as SavedRules, one)
        const lines = records.flatMap(({ value }) => value.items as { quantity: number }[])
        const sum = (of: { quantity: number }[]) =>
          of.reduce((all, { quantity }) => all + quantity, 0)
        expect(sum(lines)).toBe(sum(one))
      }),
      { numRuns },
    )
  })
})

describe('rows of two orders', () => {
  const place = mostly('$[]', '$[0]', '$[-1]', '$[?@.number]', 'r[]', 'r[0]')
  const name = fc.constantFrom('number', 'ref', 'buyer')
  const path = fc.tuple(place, name).map(([at, of]) => `${at}.${of}`)
  const number = fc.oneof(
    path,
    fc.record({ from: fc.array(path, { minLength: 1, maxLength: 3 }), as: fc.constant('string') }),
    fc.record({ join: fc.array(path, { minLength: 1, maxLength: 2 }), with: fc.constant('') }),
    path.map((from) => ({ from, text: [{ before: 'z' }], values: { '*': { as: 'is' } } })),
  )
  const inbound = fc.record(
    {
      unmapped: fc.constant('drop'),
      first: fc.boolean(),
      records: fc.record(
        {
          each: mostly('$[]', '$[?@.number]', 'r[]', '$'),
          group_by: fc.array(path, { minLength: 1, maxLength: 2 }),
        },
        { requiredKeys: ['each'] },
      ),
      order_number: number,
      items: mostly('$[]', 'r[]', '$[?@.number]', '$[0]', '$'),
      lines: mostly('$[].sku', 'r[].sku', '$[0].sku', '$.sku'),
      isEach: fc.boolean(),
    },
    { requiredKeys: ['unmapped', 'order_number', 'items', 'lines', 'isEach'] },
  )

  it('never become one, by any mapping that can be saved', () => {
    let made = 0
    fc.assert(
      fc.property(inbound, rows, ({ order_number, items, lines, isEach, ...members }, all) => {
        const fields = {
          order_number,
          ...(isEach && { 'items[]': { each: items } }),
          'items[].sku_code': lines,
        }
        const rules = saved({ ...members, fields })
        if (!rules?.records) return
        const isArray = rules.records.each.startsWith('$')
        const { records } = mapped(rules, isArray ? all : { r: all })
        // The number that the rule reads in each row alone.
        const alone = saved({
          records: { each: isArray ? '$[]' : 'r[]' },
          fields: { order_number },
        })
        if (!alone) return
        const numbers = mapped(alone, isArray ? all : { r: all }).records.map(
          ({ value }) => value.order_number,
        )
        for (const { value, problems } of records) {
          if (problems.length > 0 || !Array.isArray(value.items)) continue
          const own = value.items.map(({ sku_code }) => numbers[Number(sku_code.slice(1))])
          expect(new Set(own.filter(isThere).map(String)).size).toBeLessThanOrEqual(1)
          if (value.items.length > 1) made += 1
        }
      }),
      { numRuns: numRuns * 10 },
    )
    expect(made).toBeGreaterThan(20)
  })

  it('never become one without records either', () => {
    fc.assert(
      fc.property(inbound, rows, ({ order_number, items, lines, isEach, unmapped }, all) => {
        const fields = {
          order_number,
          ...(isEach && { 'items[]': { each: items } }),
          'items[].sku_code': lines,
        }
        const rules = saved({ unmapped, fields })
        const isArray = JSON.stringify(fields).includes('$[')
        if (!rules) return
        const { value, problems } = mapDocument(
          'orders',
          rules,
          sent(isArray ? all : { r: all }, 'POST'),
        )
        const own = Array.isArray(value.items) ? value.items : []
        if (problems.length > 0 || !isThere(value.order_number)) return
        const numbers = own.map(({ sku_code }) => all[Number(String(sku_code).slice(1))]?.number)
        expect(new Set(numbers.filter(isThere).map(String)).size).toBeLessThanOrEqual(1)
      }),
      { numRuns },
    )
  })
})
