import { beforeEach, describe, expect, it } from 'vitest'
import { inDeepPass } from '../fixtures/depth.ts'
import {
  fillExpiredKeys,
  fillKeys,
  fillPartners,
  liveKeys,
  livePartners,
  unfill,
} from '../fixtures/full-workspace.ts'
import { admin, db } from '../fixtures/opened.ts'
import { expectRefusal } from '../fixtures/refusal.ts'
import { openDashboard } from '../fixtures/session.ts'
import { inSeconds, issueKey, KEYS } from '../fixtures/settings.ts'
import { type Answer, createKey, type Json, unique } from '../fixtures/tenant.ts'
import { openWebhook, WEBHOOKS } from '../fixtures/webhooks.ts'

// A workspace has 10,000 live keys and 1,000 partners at most.

const PARTNERS = '/api/settings/v1/partners/'
const PAST = '2026-01-01T00:00:00.000Z'

beforeEach(async () => {
  await unfill()
})

function expectFull(answer: Answer, bound: string, ...fields: string[]) {
  expectRefusal(answer, 400, 'SERVICE_ERROR')
  expect(answer.body.detail).toContain(`A workspace can have at most ${bound}`)
  expect(Object.keys(answer.body.error.fields ?? {})).toEqual(fields)
}

// First: it takes long to delete many keys.
describe('partners', () => {
  const make = () => admin.post(PARTNERS, { name: unique('partner') })

  it('are at most 1,000', async () => {
    const { id } = (await make()).body.data
    await fillPartners(1000)
    const full = await make()
    expectFull(full, '1,000 partners')
    expect(full.body.error.reason).toBe('TOO_MANY_PARTNERS')
    const named = { name: unique('partner'), default_identifier_field: 'zone' }
    expectFull(await admin.post(PARTNERS, named), '1,000 partners')
    expect(await livePartners()).toBe(1000)
    await admin.delete(`${PARTNERS}${id}/`)
    expect((await make()).status).toBe(201)
    expect(await livePartners()).toBe(1000)
  })

  inDeepPass(() => {
    it('are at most 1,000 when several are made at once', async () => {
      await fillPartners(998)
      const answers = await Promise.all([1, 2, 3, 4].map(make))
      expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 201, 400, 400])
      expect(await livePartners()).toBe(1000)
    })
  })

  it('beyond 1,000 are refused on the form', async () => {
    await fillPartners(1000)
    const dashboard = await openDashboard()
    const { status, text } = await dashboard.post('/dashboard/new/partner/', { name: 'one more' })
    expect(status).toBe(400)
    expect(text).toMatch(/class="form-error"[^>]*>A workspace can have at most 1,000 partners/)
    expect(text).toContain('value="one more"')
  })
})

inDeepPass(() => {
  describe('live keys', () => {
    const expectNoMore = (answer: Answer, ...fields: string[]) =>
      expectFull(answer, '10,000 live API keys and webhooks', ...fields)
    const at = ({ id }: Json) => `${KEYS}${id}/`

    it('are at most 10,000, however one could come to be', async () => {
      const spare = await issueKey(admin)
      const expired = await createKey(['integrations.*'], { expires_at: PAST })
      const both = await createKey(['integrations.*'], { expires_at: PAST, revoked_at: PAST })
      const { webhook } = await openWebhook()
      const { name, partner_id, rules } = webhook
      await fillKeys(10_000)
      const before = await db.prepare('select count(*) from api_keys').first('count(*)')

      const full = await admin.post(KEYS, { name: 'one more' })
      expectNoMore(full)
      expect(full.body.error.reason).toBe('TOO_MANY_KEYS')
      expectNoMore(
        await admin.post(`${at(spare)}rotate/`, { overlap_seconds: 60 }),
        'overlap_seconds',
      )
      expectNoMore(await admin.post(`${WEBHOOKS}/`, { name, partner_id, rules }))
      expectNoMore(
        await admin.post(`${WEBHOOKS}/${webhook.id}/rotate/`, { overlap_seconds: 60 }),
        'overlap_seconds',
      )
      for (const expires_at of [null, inSeconds(60)]) {
        expectNoMore(await admin.put(at(expired), { expires_at }), 'expires_at')
      }
      expect(await db.prepare('select count(*) from api_keys').first('count(*)')).toBe(before)

      // None of these makes one more.
      expect((await admin.put(at(expired), { name: 'renamed' })).status).toBe(200)
      expect((await admin.put(at(both), { expires_at: null })).status).toBe(200)
      expect((await admin.put(at(spare), { expires_at: inSeconds(60) })).status).toBe(200)
      const heir = await admin.post(`${at(spare)}rotate/`, {})
      expect(heir.status).toBe(201)
      expect(await liveKeys()).toBe(10_000)

      await admin.delete(at(heir.body.data))
      expect((await admin.put(at(expired), { expires_at: null })).status).toBe(200)
      expect(await liveKeys()).toBe(10_000)
    })

    it('are at most 10,000 when several are made at once', async () => {
      const spare = await issueKey(admin)
      await fillKeys(9998)
      const answers = await Promise.all([
        ...[1, 2, 3].map((n) => admin.post(KEYS, { name: `key ${n}` })),
        admin.post(`${at(spare)}rotate/`, { overlap_seconds: 60 }),
      ])
      expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 201, 400, 400])
      expect(await liveKeys()).toBe(10_000)
    })

    it('are counted without a look at those that have expired', async () => {
      await fillExpiredKeys(2000)
      const { headers } = await admin.post(KEYS, { name: 'one more' })
      const [, read] = /rows read (\d+)/.exec(headers.get('Server-Timing') ?? '') ?? []
      expect(Number(read)).toBeLessThan(500)
    })

    it('beyond 10,000 are refused on the form', async () => {
      const dashboard = await openDashboard()
      const spare = await issueKey(admin)
      const expired = await createKey(['integrations.*'], { expires_at: PAST })
      await fillKeys(10_000)
      const fields = { name: 'one more', access: 'full' }
      const created = await dashboard.post('/dashboard/new/api-key/', fields)
      expect([created.status, created.text]).toEqual([
        400,
        expect.stringContaining('at most 10,000 live'),
      ])
      const path = `/dashboard/api-keys/${spare.id}/rotate/`
      const rotated = await dashboard.post(path, { overlap_seconds: '3600' })
      expect(rotated.status).toBe(400)
      expect(rotated.text).toContain(
        'id="overlap_seconds-error">A workspace can have at most 10,000 live',
      )
      const revived = await dashboard.post(`/dashboard/api-keys/${expired.id}/`, fields)
      expect(revived.status).toBe(400)
      expect(revived.text).toContain(
        'id="expires_at-error">A workspace can have at most 10,000 live',
      )
    })
  })
})
