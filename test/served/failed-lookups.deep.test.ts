import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { mintKey } from '../../src/engine/identity/key.ts'
import { newAddress } from '../fixtures/address.ts'
import { type Served, startServer } from '../fixtures/server.ts'

const KEYS = 300

let served: Served

beforeAll(async () => {
  served = await startServer()
})
afterAll(() => served.close())

async function ask(key: string, address: string): Promise<number> {
  const headers = { 'X-API-Key': key, 'CF-Connecting-IP': address }
  const answer = await fetch(`${served.origin}/api/integrations/v1/orders/`, { headers })
  await answer.body?.cancel()
  return answer.status
}

describe('300 keys at once that nobody has issued, from one address', () => {
  it('are 401 a hundred times and 429 from then on, and keep no other address out', async () => {
    const [address, other, key] = [
      newAddress(),
      newAddress(),
      await served.createKey(['integrations.*']),
    ]
    const keys = await Promise.all(Array.from({ length: KEYS }, () => mintKey('demo')))
    const statuses = await Promise.all(keys.map(({ value }) => ask(value, address)))
    const refused = statuses.filter((status) => status === 429).length
    expect(statuses.filter((status) => status === 401)).toHaveLength(KEYS - refused)
    // Ten are looked up at a time, and a minute of the local platform's may end under way.
    expect(refused).toBeGreaterThan(KEYS - 2 * 100 - 10)
    expect([await ask(key, address), await ask(key, other), await ask(key, address)]).toEqual([
      429, 200, 200,
    ])
  })
})
