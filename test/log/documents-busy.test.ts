import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { badOrder, openKept, stateOf } from '../fixtures/kept-documents.ts'
import { dispatch, ORIGIN } from '../fixtures/tenant.ts'

describe('documents that are stored at a time', () => {
  it('are bounded: beyond that they are not kept, and the answers are the same', async () => {
    const partner = await openKept({ of: 'errors', days: 7 })
    const { promise, resolve } = Promise.withResolvers<void>()
    let waiting = 0
    const put = async (...parameters: Parameters<R2Bucket['put']>) => {
      waiting += 1
      await promise
      return await env.DOCUMENTS.put(...parameters)
    }
    const bindings = { ...env, DOCUMENTS: { put } }
    const all = await Promise.all(
      Array.from({ length: 80 }, () => dispatch(orderOf(partner.key.key), { bindings })),
    )
    expect(all.every(({ answer }) => answer.status === 400)).toBe(true)
    resolve()
    await Promise.all(all.map(({ afterwards }) => afterwards()))
    const states = await Promise.all(all.map(({ answer }) => stateOf(partner.admin, answer)))
    const busy = states.filter(({ reason }) => reason === 'busy')
    expect([waiting, busy.length]).toEqual([64, 16])
    const later = await partner.api.post('/orders/', badOrder())
    expect(await stateOf(partner.admin, later)).toMatchObject({ state: 'kept' })
  }, 60_000)
})

function orderOf(key: string): Request {
  return new Request(`${ORIGIN}/api/integrations/v1/orders/`, {
    method: 'POST',
    headers: { 'X-API-Key': key, 'Content-Type': 'application/json' },
    body: JSON.stringify(badOrder()),
  })
}
