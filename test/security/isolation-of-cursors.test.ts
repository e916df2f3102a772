import { beforeEach, describe, expect, it } from 'vitest'
import { inDeepPass } from '../fixtures/depth.ts'
import { ENDPOINTS } from '../fixtures/endpoints.ts'
import { PAGES } from '../fixtures/pages.ts'
import { expectInvalid } from '../fixtures/refusal.ts'
import { dashboardOf, type Holder, hold, newNames, openEmpty } from './twins.ts'

// P7 (docs/ARCHITECTURE.md), as in isolation.test.ts.

const RECORDS = ['inventory', 'locations', 'orders', 'partners', 'products', 'webhooks']
/** What has pages, in the API and in the dashboard. */
const LISTS = ['api-keys', 'audit-log', ...RECORDS]

const isWhole = ({ method, path }: { method: string; path: string }) =>
  method === 'GET' && !path.includes(':')

describe('a cursor of another tenant', () => {
  let demo: Holder
  let other: Holder

  beforeEach(async () => {
    await openEmpty('demo')
    await openEmpty('other')
    for (const names of [newNames(), newNames(), newNames()]) {
      demo = await hold('demo', names)
      other = await hold('other', names)
    }
  })

  it('is refused by every list, and holds in its own', async () => {
    const lists: string[] = []
    for (const { path, query } of ENDPOINTS.filter(isWhole)) {
      const { pagination } = (await demo.api.get(`${path}?${query ? `${query}&` : ''}limit=2`)).body
      if (!pagination) continue
      const next = `${path}?limit=2&cursor=${pagination.next_cursor}`
      expectInvalid(await other.api.get(next), 'cursor')
      expect((await demo.api.get(next)).body.data.length).toBeGreaterThan(0)
      lists.push(path.split('/')[4] ?? '')
    }
    const shipped = ['mapping-starters', 'webhook-presets']
    const others = [
      'changes',
      'deliveries',
      'history',
      'key-attempts',
      'line-differences',
      'people',
      'sessions',
      ...shipped,
    ]
    expect(lists.toSorted()).toEqual([...LISTS, ...others].toSorted())
  })

  inDeepPass(() => {
    it('is refused by every page of the dashboard that has pages, and holds in its own', async () => {
      const [own, stranger] = [await dashboardOf(demo), await dashboardOf(other)]
      const lists: string[] = []
      for (const { path } of PAGES.filter(isWhole)) {
        const { text } = await own.get(`${path}?limit=2`)
        const [, cursor] = /cursor=([\w-]+)/.exec(text) ?? []
        if (!cursor) continue
        const next = `${path}?limit=2&cursor=${cursor}`
        const answer = await stranger.get(next)
        expect([path, answer.status]).toEqual([path, 400])
        expect(answer.text).toContain('Not a cursor of this list.')
        expect((await own.get(next)).status).toBe(200)
        lists.push(path.split('/')[2] ?? '')
      }
      // Stock has two: itself, and its history.
      const others = [
        'deliveries',
        'line-differences',
        'history',
        'inventory',
        'people',
        'sessions',
      ]
      expect(lists.toSorted()).toEqual([...LISTS, ...others].toSorted())
    })
  })
})
