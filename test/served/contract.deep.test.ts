import { expect, it, vi } from 'vitest'
import { withoutChanging } from '../contract/changing.ts'
import { startServer } from '../fixtures/server.ts'

/** Two walks take three minutes of an idle machine. */
const WALKS_MS_MAX = 900_000

/** As a run of the command: with names that are counted from one. */
async function answers(): Promise<string[]> {
  vi.resetModules()
  const { walk } = await import('../contract/walk.ts')
  const server = await startServer()
  try {
    const recorded = await walk(server, () => {})
    return withoutChanging(recorded.join('\0')).split('\0')
  } finally {
    await server.close()
  }
}

it('two walks of npm run contract through the same code write the same', {
  timeout: WALKS_MS_MAX,
}, async () => {
  const [first, second] = [await answers(), await answers()]
  expect(second.filter((answer, at) => answer !== first[at])).toEqual([])
  expect(second).toHaveLength(first.length)
  const statuses = new Set(first.map((answer) => answer.split('\n')[1]))
  for (const status of ['200', '201', '308', '400', '403', '404', '409', '412']) {
    expect(statuses).toContain(status)
  }
  expect([...statuses].filter((status) => Number(status) >= 500)).toEqual([])
})
