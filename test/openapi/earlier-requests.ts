import { env } from 'cloudflare:workers'
import { describe, it } from 'vitest'
import { admin } from '../fixtures/opened.ts'
import { client, unique } from '../fixtures/tenant.ts'
import { documented, keys, SETTINGS } from './documented.ts'

const FEED = '/changes/'
const UNDO = `${SETTINGS}/audit-log/:id/undo/`

const idOf = ({ headers }: { headers: Headers }) => headers.get('X-Request-Id')
const undoOf = (answer: { headers: Headers }) =>
  admin.post(`${SETTINGS}/audit-log/${idOf(answer)}/undo/`)

/** The answers of what rests on an earlier request: the feed of changes, undo, sending again. */
export function describeEarlierRequests(): void {
  describe('the feed of changes', () => {
    it('does not exist in release 1.0, and expires with a restore', async () => {
      const pinned = client(keys.pinned).get(`${FEED}?from=now`)
      await documented('GET', FEED, 404, 'NOT_FOUND', pinned)
      const { body } = await admin.get(`${FEED}?from=now`)
      await env.DB_DEMO.exec('update workspace set settings_version = settings_version + 2')
      const next = admin.get(`${FEED}?cursor=${body.pagination.next_cursor}`)
      await documented('GET', FEED, 410, 'CURSOR_EXPIRED', next)
    })
  })

  describe('the answers to what cannot be undone', () => {
    it('say that nothing was changed, or that it has changed since', async () => {
      const sku = unique('S')
      const created = await admin.post('/products/', { sku })
      await documented('POST', UNDO, 400, 'SERVICE_ERROR', undoOf(created))
      const changed = await admin.put(`/products/${sku}/`, { quantity: 1 })
      await admin.put(`/products/${sku}/`, { quantity: 2 })
      await documented('POST', UNDO, 412, 'PRECONDITION_FAILED', undoOf(changed))
    })
  })

  describe('the answers to what cannot be sent again', () => {
    it('say so of a success', async () => {
      const done = await admin.post('/products/', { sku: unique('S') })
      const at = `${SETTINGS}/audit-log/${done.headers.get('X-Request-Id')}/send-again/`
      const answer = admin.post(at, {})
      const path = `${SETTINGS}/audit-log/:id/send-again/`
      await documented('POST', path, 400, 'SERVICE_ERROR', answer)
    })
  })
}
