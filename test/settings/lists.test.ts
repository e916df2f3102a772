import { describe, expect, it } from 'vitest'
import { admin } from '../fixtures/opened.ts'
import { expectInvalid } from '../fixtures/refusal.ts'
import { AUDIT, issueKey } from '../fixtures/settings.ts'

const LISTS = [
  'api-keys',
  'partners',
  'webhooks',
  'deliveries',
  'mapping-starters',
  'webhook-presets',
].map((name) => `/api/settings/v1/${name}/`)

describe.each(LISTS)('GET %s', (list) => {
  it.each([
    ['limit', '0'],
    ['limit', '201'],
    ['limit', '-1'],
    ['limit', '2.5'],
    ['limit', 'ten'],
    ['limit', ''],
    ['cursor', 'x'],
    ['cursor', ''],
  ])('refuses %s=%s', async (name, value) => {
    expectInvalid(await admin.get(`${list}?${name}=${value}`), name)
  })

  it("refuses another list's cursor", async () => {
    for (let turn = 0; turn < 2; turn++) await issueKey(admin)
    const cursor = (await admin.get(`${AUDIT}?limit=1`)).body.pagination.next_cursor
    expect(cursor).toEqual(expect.any(String))
    expectInvalid(await admin.get(`${list}?cursor=${cursor}`), 'cursor')
  })

  it('refuses a parameter that it does not know', async () => {
    expectInvalid(await admin.get(`${list}?limit=1&colour=red`), 'colour')
  })
})
