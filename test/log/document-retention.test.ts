import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { intercept } from '../fixtures/bindings.ts'
import { itInDeep } from '../fixtures/depth.ts'
import { keysWith, SETTINGS } from '../fixtures/kept-documents.ts'
import { DAY_MS, run } from '../fixtures/retention.ts'
import { openAdmin, openTenant, unique } from '../fixtures/tenant.ts'

// The cron runs at 3 o'clock.
const NOW = Date.UTC(2026, 10, 23, 3)
const dayOf = (daysAgo: number) => new Date(NOW - daysAgo * DAY_MS).toISOString().slice(0, 10)

async function put(tenant: string, daysAgo: number, owner: string): Promise<string> {
  const key = `${tenant}/documents/${dayOf(daysAgo)}/${owner}/${unique('request')}`
  await env.DOCUMENTS.put(key, 'x')
  return key
}

async function newPartner(days: number | null): Promise<string> {
  const admin = await openAdmin()
  const keep_documents = days && { of: 'errors', days }
  const { body } = await admin.post(`${SETTINGS}/partners/`, { name: unique('P'), keep_documents })
  return body.data.id
}

const daily = (bindings: object = env) => run({ at: NOW, bindings, event: 'document_retention' })

/** How many days ago those were that are left of this owner. */
async function left(owner: string): Promise<number[]> {
  const keys = await keysWith(`/${owner}/`)
  return keys
    .map((key) => Math.floor((NOW - Date.parse(key.split('/')[2] ?? '')) / DAY_MS))
    .toSorted((one, other) => one - other)
}

beforeEach(async () => {
  await openTenant('demo')
  await openTenant('other')
  for (const key of await keysWith('')) await env.DOCUMENTS.delete(key)
})

describe('the daily cron', () => {
  it('deletes the documents of days that are over for longer than the policy says, to the day', async () => {
    const id = await newPartner(7)
    for (const days of [0, 1, 6, 7, 8, 9]) await put('demo', days, id)
    expect(await daily()).toEqual({
      level: 'log',
      event: 'document_retention',
      tenants: 2,
      documents_deleted: 2,
      calls: expect.any(Number),
      duration_ms: expect.any(Number),
      unfinished: 0,
      not_reached: 0,
      failed: 0,
      failures: [],
    })
    expect(await left(id)).toEqual([0, 1, 6, 7])
    expect((await daily()).documents_deleted).toBe(0)
  })

  it('deletes all of a partner that keeps none any longer, and no other', async () => {
    const [none, most] = [await newPartner(null), await newPartner(90)]
    for (const owner of [none, most]) {
      for (const days of [0, 1, 90, 91, 92, 400]) await put('demo', days, owner)
    }
    await daily()
    expect(await left(none)).toEqual([])
    expect(await left(most)).toEqual([0, 1, 90])
  })

  it('keeps those of a deleted partner to their day', async () => {
    const admin = await openAdmin()
    const id = await newPartner(7)
    await put('demo', 3, id)
    await put('demo', 30, id)
    expect((await admin.delete(`${SETTINGS}/partners/${id}/`)).status).toBe(200)
    await daily()
    expect(await left(id)).toEqual([3])
  })

  it('goes by the workspace for keys without a partner, each tenant by its own', async () => {
    const admin = await openAdmin('other')
    await admin.put(`${SETTINGS}/workspace/`, { keep_documents: { of: 'all', days: 30 } })
    await put('other', 20, '-')
    await put('demo', 20, '-')
    await daily()
    expect(await keysWith('/-/')).toEqual([expect.stringMatching(/^other\//)])
    await admin.put(`${SETTINGS}/workspace/`, { keep_documents: null })
  })

  itInDeep('deletes more than R2 deletes at a time', async () => {
    const keys = Array.from({ length: 1003 }, (_, at) => `demo/documents/${dayOf(5)}/gone/${at}`)
    for (let at = 0; at < keys.length; at += 50) {
      await Promise.all(keys.slice(at, at + 50).map((key) => env.DOCUMENTS.put(key, 'x')))
    }
    expect((await daily()).documents_deleted).toBe(1003)
    expect(await left('gone')).toEqual([])
  })

  it('tells that R2 fails, goes on with other tenants, and deletes the next day', async () => {
    await put('demo', 20, 'gone')
    await put('other', 20, 'gone')
    let calls = 0
    const failing = intercept(env.DOCUMENTS, {
      list: (call) => {
        calls += 1
        if (calls === 1) throw new Error('R2 fails with a secret')
        return call()
      },
    })
    const line = await daily({ ...env, DOCUMENTS: failing })
    expect(line).toMatchObject({ level: 'error', documents_deleted: 1, failed: 1 })
    expect(line.failures).toEqual([
      { tenant: expect.stringMatching(/^(demo|other)$/), name: 'Error' },
    ])
    expect(await left('gone')).toHaveLength(1)
    expect((await daily()).documents_deleted).toBe(1)
  })
})
