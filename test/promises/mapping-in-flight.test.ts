import { describe, expect, it } from 'vitest'
import { withBatch } from '../fixtures/bindings.ts'
import { itInDeep, sample } from '../fixtures/depth.ts'
import { openPartner, saveMapping } from '../fixtures/partner.ts'
import type { Answer, CallOptions } from '../fixtures/tenant.ts'
import {
  auditRowsOf,
  contentOf,
  document,
  from,
  orderRows,
  type Partner,
  saveBySql,
  warm,
} from './mappings.ts'

/** Real D1, where each request's first batch arrives and then waits until it is opened. */
function gated() {
  const state = { arrived: 0, opened: false }
  const bindings = () => {
    let first = true
    const bindings = withBatch(async (call) => {
      if (first) {
        first = false
        state.arrived += 1
        while (!state.opened) await scheduler.wait(1)
      }
      return await call()
    })
    return { bindings }
  }
  return { bindings, state }
}

const IN_FLIGHT = 20

/** Each order that was answered 201 is there once, wholly old or wholly new; no other is there. */
async function expectEachStoredWhole(posted: { number: string; answer: Answer }[]) {
  const read: ('old' | 'new')[] = []
  for (const { number, answer } of posted) {
    const rows = await orderRows(number)
    if (answer.status !== 201) {
      expect([answer.status, answer.body.error.code]).toEqual([503, 'UNAVAILABLE'])
      expect(answer.headers.get('Retry-After')).toMatch(/^\d+$/)
      expect(rows).toEqual([])
      continue
    }
    const member = answer.body.data.customer_name.startsWith('old') ? 'old' : 'new'
    expect(rows).toMatchObject([contentOf(member, number)])
    expect(answer.body.data).toMatchObject(contentOf(member, number))
    expect((await auditRowsOf(answer)).map(({ status }) => status)).toEqual([201])
    read.push(member)
  }
  return read
}

describe(`${IN_FLIGHT} orders in flight while the mapping changes`, () => {
  async function postAll(partner: Partner, options: (turn: number) => CallOptions = () => ({})) {
    return await Promise.all(
      Array.from({ length: IN_FLIGHT }, async (_, turn) => {
        const body = document()
        const answer = await partner.api.post('/orders/', body, options(turn))
        return { number: body.number, answer }
      }),
    )
  }

  it('are stored as the new one reads them, if they reach the database after it', async () => {
    const partner = await openPartner({ mappings: { orders: from('old') } })
    await warm(partner)
    const { bindings, state } = gated()
    const posting = postAll(partner, bindings)
    await expect.poll(() => state.arrived).toBe(IN_FLIGHT)
    await saveMapping(partner.admin, partner.id, 'orders', from('new'))
    state.opened = true
    const posted = await posting
    expect(await expectEachStoredWhole(posted)).toEqual(Array(IN_FLIGHT).fill('new'))
  })

  it.each(sample([0, 2, 5, 10, 20, 40], 2))(
    'are each stored wholly under one of them, none lost, none doubled: %i ms later',
    async (delay) => {
      const partner = await openPartner({ mappings: { orders: from('old') } })
      await warm(partner)
      const posting = postAll(partner)
      await scheduler.wait(delay)
      await saveMapping(partner.admin, partner.id, 'orders', from('new'))
      await expectEachStoredWhole(await posting)
      const [last] = await postAll(partner)
      expect(last?.answer.body.data.customer_name).toMatch(/^new/)
    },
  )

  itInDeep('are each stored wholly, or answered 503, when it changes again and again', async () => {
    const partner = await openPartner({ mappings: { orders: from('old') } })
    await warm(partner)
    const posting = postAll(partner)
    for (let turn = 0; turn < 30; turn++) {
      await saveBySql(partner, 'orders', from(turn % 2 ? 'old' : 'new'))
      await scheduler.wait(turn % 7)
    }
    await expectEachStoredWhole(await posting)
  })
})
