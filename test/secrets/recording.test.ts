import { env } from 'cloudflare:workers'
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { hintOf, mintKey } from '../../src/engine/identity/key.ts'
import { outgoing } from '../fixtures/secrets/outgoing.ts'
import { lookInStorage } from '../fixtures/secrets/storage.ts'
import { openDashboard } from '../fixtures/session.ts'
import { createKey, openAdmin, openTenant, type Tenant, unique } from '../fixtures/tenant.ts'
import { openWebhook, WEBHOOKS } from '../fixtures/webhooks.ts'

// What this file leaks is forgotten again, or its end would be a failure like any other file's.

async function foundInStorage(): Promise<string[]> {
  const { DB_DEMO, DB_OTHER, KEYS, DOCUMENTS } = env
  await lookInStorage(outgoing, { DB_DEMO, DB_OTHER }, KEYS, DOCUMENTS)
  return outgoing.take()
}

afterEach(async () => {
  vi.restoreAllMocks()
  expect(await foundInStorage()).toEqual([])
})

describe('what a test file lets out', () => {
  it.each(['log', 'info', 'warn', 'error', 'debug'] as const)(
    'has the lines of console.%s, whoever listens to them instead',
    async (level) => {
      const { value } = await mintKey('demo')
      const found = [`console.${level}: ${hintOf(value)}`]
      const write = vi.spyOn(console, level).mockImplementation(() => {})
      console[level](JSON.stringify({ event: 'leak', value }))
      expect(outgoing.take()).toEqual(found)
      console[level]('leak', { nested: [value] })
      expect(outgoing.take()).toEqual(found)
      console[level](new Error(value.slice(8)))
      expect(outgoing.take()).toEqual(found)
      console[level](hintOf(value))
      expect(outgoing.take()).toEqual([])
      expect(write).toHaveBeenCalledTimes(4)
    },
  )

  it('has the lines after any number of spies', async () => {
    const { value } = await mintKey('demo')
    for (let spies = 0; spies < 10_000; spies++) vi.spyOn(console, 'debug').mockRestore()
    console.debug(value)
    expect(outgoing.take()).toEqual([`console.debug: ${hintOf(value)}`])
  })

  it('has answers, tables and KV', async () => {
    const [api, { value }] = [await openAdmin(), await mintKey('demo')]
    await api.post('/products/', { sku: 'S' })
    const order_number = unique('O')
    const items = [{ sku_code: 'S', quantity: 1, notes: value }]
    await api.post('/orders/', { order_number, notes: value.slice(8), items })
    expect(outgoing.take()).toEqual([
      `the answer to POST /api/integrations/v1/orders/: ${hintOf(value)}`,
    ])
    await env.KEYS.put('leak', value, { expirationTtl: 60 })
    await env.KEYS.put(value, 'leak', { metadata: { value } })
    const found = await foundInStorage()
    expect(found).toContain(`DB_DEMO, orders.notes: ${hintOf(value)}`)
    expect(found).toContain(`KV, leak: ${hintOf(value)}`)
    expect(found).toHaveLength(4)
    const tables = ['orders', 'order_items']
    await env.DB_DEMO.batch(
      tables.map((table) => env.DB_DEMO.prepare(`update ${table} set notes = null`)),
    )
    await Promise.all(['leak', value].map((name) => env.KEYS.delete(name)))
  })

  it('has the documents in R2, packed or not, also with escapes', async () => {
    const { value } = await mintKey('demo')
    const escaped = value.replace('xd_', '\\u0078d\\\\u005f')
    const texts = [value, gzipSync(`{"body":"${value}"}`), gzipSync(escaped), hintOf(value)]
    for (const [at, text] of texts.entries()) await env.DOCUMENTS.put(`leak ${at}`, text)
    await env.DOCUMENTS.put('leak 4', 'x', { customMetadata: { value } })
    const found = await foundInStorage()
    const named = [0, 1, 2, 4].map((at) => `R2, leak ${at}: ${hintOf(value)}`)
    expect(found.toSorted()).toEqual(named)
    await env.DOCUMENTS.delete([0, 1, 2, 3, 4].map((at) => `leak ${at}`))
  })

  it.each<Tenant>(['demo', 'other'])('has every row of every table, of %s', async (tenant) => {
    const { value } = await mintKey(tenant)
    const db = await openTenant(tenant)
    await db.batch([
      db.prepare('create table leaks (n integer, leak blob) strict'),
      db.prepare(
        `insert into leaks with recursive rows (n) as (select 1 union all select n + 1 from rows
           where n < 10001) select n, null from rows`,
      ),
      db.prepare('insert into leaks values (null, cast(? as blob))').bind(value),
    ])
    expect(await foundInStorage()).toEqual([
      `DB_${tenant.toUpperCase()}, leaks.leak: ${hintOf(value)}`,
    ])
    await db.prepare('drop table leaks').run()
  })

  it('may have a new key where it is shown, and nowhere else', async () => {
    const api = await openAdmin()
    const { data } = (await api.post('/api/settings/v1/api-keys/', { name: 'new' })).body
    const path = `/api/settings/v1/api-keys/${data.id}/rotate/`
    const rotated = (await api.post(path, {})).body.data
    const dashboard = await openDashboard()
    const fields = { name: 'new', access: 'full' }
    const { text } = await dashboard.post('/dashboard/new/api-key/', fields)
    const shown = /xd_demo_[0-9A-Za-z]{49}/.exec(text)?.[0] ?? ''
    expect(outgoing.take()).toEqual([])
    const rename = (name: string) =>
      env.DB_DEMO.prepare('update workspace set name = ?').bind(name).run()
    for (const key of [data.key, rotated.key, shown]) {
      await rename(key)
      await api.get('/api/settings/v1/workspace/')
      expect(new Set(outgoing.take())).toEqual(
        new Set([`the answer to GET /api/settings/v1/workspace/: ${hintOf(key)}`]),
      )
    }
    await rename('Test')
    await env.DB_DEMO.prepare("delete from settings_history where kind = 'workspace'").run()
  })

  it('has what a key of any test is, without being told', async () => {
    const { value } = await createKey()
    outgoing.look('here', value.slice(-49, -30))
    expect(outgoing.take()).toEqual([`here: ${hintOf(value)}`])
  })

  it('has the secrets of webhooks, wherever they stand in plain text', async () => {
    const secret = unique('a secret of this file')
    const { admin, id } = await openWebhook({ secret })
    const told = `a secret of ${secret.length} characters`
    expect(await foundInStorage()).toEqual([])
    vi.spyOn(console, 'error').mockImplementation(() => {})
    console.error(JSON.stringify({ event: 'leak', secret }))
    expect(outgoing.take()).toEqual([`console.error: ${told}`])
    await admin.put(`${WEBHOOKS}/${id}/`, { name: secret })
    expect(outgoing.take()).toEqual([`the answer to PUT ${WEBHOOKS}/${id}/: ${told}`])
    await env.KEYS.put('leak', secret, { expirationTtl: 60 })
    await env.DOCUMENTS.put('leak', gzipSync(secret))
    expect(await foundInStorage()).toEqual(
      expect.arrayContaining([
        `DB_DEMO, api_keys.name: ${told}`,
        `DB_DEMO, settings_history.after: ${told}`,
        `KV, leak: ${told}`,
        `R2, leak: ${told}`,
      ]),
    )
    await admin.put(`${WEBHOOKS}/${id}/`, { name: 'without it' })
    const forget = ['delete from settings_history', 'update audit_log set record_name = null']
    await env.DB_DEMO.batch(forget.map((sql) => env.DB_DEMO.prepare(sql)))
    await Promise.all([env.KEYS.delete('leak'), env.DOCUMENTS.delete('leak')])
    outgoing.take()
  })
})
