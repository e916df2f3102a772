import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Served, startServer } from '../fixtures/server.ts'

let served: Served

beforeAll(async () => {
  served = await startServer()
})
afterAll(() => served.close())

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
