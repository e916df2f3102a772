import { beforeEach, describe, expect, it } from 'vitest'
import { sample } from '../fixtures/depth.ts'
import { fillPartners, unfill } from '../fixtures/full-workspace.ts'
import { db } from '../fixtures/opened.ts'
import { dashboard } from '../fixtures/opened-dashboard.ts'

// P10 (docs/ARCHITECTURE.md): names to choose from take no more memory than the request has.

const REQUEST_BYTES = 512 * 1024
// In HTML each of these takes six characters.
const LONG = '"'.repeat(250)

const PAGES = [
  '/dashboard/',
  '/dashboard/orders/',
  '/dashboard/new/api-key/',
  '/dashboard/audit-log/',
  '/dashboard/audit-log/?status=x',
]

beforeEach(unfill)

const optionsIn = (text: string) => Array.from(text.matchAll(/<option value="([^"]*)"/g)).length

describe.each(sample(PAGES, 1))('GET %s', (path) => {
  it('offers a thousand partners with names of usual length', async () => {
    await fillPartners(1000)
    const { text } = await dashboard.get(path)
    expect(optionsIn(text)).toBeGreaterThan(1000)
  })

  it('fits into the memory of its request with names of any length', async () => {
    const numbers = JSON.stringify(Array.from({ length: 1000 }, () => crypto.randomUUID()))
    await db.batch([
      db
        .prepare(
          `insert into partners (id, name, created_at, updated_at)
           select value, ?1 || key, '', '' from json_each(?2)`,
        )
        .bind(LONG, numbers),
      db
        .prepare(
          `insert into api_keys (id, hash, hint, name, scopes, created_at)
           select value, value, 'hint', ?1 || 'x', '[]', '' from json_each(?2)`,
        )
        .bind(LONG, numbers),
    ])
    const { text } = await dashboard.get(path)
    expect(text.includes('&quot;')).toBe(true)
    expect(text.length).toBeLessThan(REQUEST_BYTES)
    await db.exec("update partners set deleted_at = 'then' where deleted_at is null")
  })
})
