import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Served, startServer } from '../fixtures/server.ts'

let served: Served

beforeAll(async () => {
  served = await startServer()
})
afterAll(() => served.close())

describe('GET /healthz/', () => {
  it('tells the version of the build', async () => {
    const { version } = JSON.parse(await readFile('package.json', 'utf8'))
    const answer = await fetch(`${served.origin}/healthz/`)
    expect(await answer.json()).toEqual({ success: true, data: { version } })
  })

  it('is found without its slash', async () => {
    const answer = await fetch(`${served.origin}/healthz`, { redirect: 'manual' })
    expect([answer.status, answer.headers.get('Location')]).toEqual([308, '/healthz/'])
  })
})
