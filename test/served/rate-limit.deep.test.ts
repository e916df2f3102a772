import { describe, expect, it } from 'vitest'
import { mintKey } from '../../src/engine/identity/key.ts'
import { newAddress } from '../fixtures/address.ts'
import { served } from './serving.ts'

async function limitedKey(rate_limit: number): Promise<string> {
  const answer = await fetch(`${served.origin}/api/settings/v1/api-keys/`, {
    method: 'POST',
    headers: {
      'X-API-Key': await served.createKey(['settings.*', 'integrations.*']),
      'Content-Type': 'application/json',
    },
    body: JSON.stringify({ name: 'limited', rate_limit }),
  })
  const { data } = (await answer.json()) as { data: { key: string } }
  return data.key
}

describe('a key that may make 60 requests a minute', () => {
  it('has exactly 60 of 100 parallel ones answered by the built Worker', async () => {
    const headers = { 'X-API-Key': await limitedKey(60) }
    const answers = await Promise.all(
      Array.from({ length: 100 }, () =>
        fetch(`${served.origin}/api/integrations/v1/orders/`, { headers }),
      ),
    )
    const remaining = answers
      .filter(({ status }) => status === 200)
      .map((answer) => Number(answer.headers.get('X-RateLimit-Remaining')))
    expect(remaining.toSorted((a, b) => b - a)).toEqual(
      Array.from({ length: 60 }, (_, n) => 59 - n),
    )
    const refused = answers.filter(({ status }) => status === 429)
    expect(refused).toHaveLength(40)
    for (const { headers } of refused) {
      expect(headers.get('Retry-After')).toMatch(/^([1-9]|[1-5]\d|60)$/)
    }
  })
})

const KEYS = 300

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
