import { beforeAll, describe, expect, it } from 'vitest'
import { openPartner } from '../fixtures/partner.ts'
import { type Dashboard, openDashboard } from '../fixtures/session.ts'
import { issueKey } from '../fixtures/settings.ts'
import { type Json, unique } from '../fixtures/tenant.ts'
import { admin, LIST } from './key-pages.ts'

// A session of a key that is linked to a partner grants only to keys of this partner.

const NEW = '/dashboard/new/api-key/'

let dashboard: Dashboard
let partner: Awaited<ReturnType<typeof openPartner>>
let other: Awaited<ReturnType<typeof openPartner>>
let sibling: Json
let free: Json

beforeAll(async () => {
  partner = await openPartner({ scopes: ['settings.*', 'integrations.*'] })
  other = await openPartner()
  const expires_at = new Date(Date.now() + 3_600_000).toISOString()
  sibling = await issueKey(admin, { partner_id: partner.id, expires_at })
  free = await issueKey(admin, { expires_at })
  dashboard = await openDashboard([], { key: partner.key.key })
})

const rowOf = (text: string, name: string) =>
  text.split('<tr>').findLast((row) => row.includes(name)) ?? ''
const partnersIn = (text: string) =>
  [
    ...(/<select id="partner_id".*?<\/select>/s.exec(text)?.[0] ?? '').matchAll(/value="([^"]*)"/g),
  ].map(([, value]) => value)

describe.each([LIST, '/dashboard/'])('GET %s', (path) => {
  it('offers to rotate keys of its partner only', async () => {
    const { text } = await dashboard.get(path)
    expect(rowOf(text, sibling.name)).toContain('Rotate')
    expect(rowOf(text, free.name)).toContain('Edit')
    expect(rowOf(text, free.name)).not.toContain('Rotate')
  })
})

describe('GET /dashboard/new/api-key/', () => {
  it.each(['', '?partner_id='])('offers its own partner alone, and says why: %s', async (query) => {
    const asked = query && `${query}${other.id}`
    const { text } = await dashboard.get(`${NEW}${asked}`)
    expect(partnersIn(text)).toEqual([partner.id])
    expect(text).toContain(partner.name)
    expect(text).toContain('your own key is linked to this one')
  })
})

describe('POST /dashboard/new/api-key/', () => {
  it('creates a key of its partner, and shows the refusal of any other on the form', async () => {
    const name = unique('key')
    const fields = { name, access: 'full', partner_id: partner.id }
    expect((await dashboard.post(NEW, fields)).text).toMatch(/xd_demo_\w{49}/)
    const answer = await dashboard.post(NEW, { ...fields, partner_id: '' })
    expect(answer.status).toBe(403)
    expect(answer.text).toMatch(/class="form-error"[^>]*>\s*This API key is linked to a partner:/)
    expect(answer.text).not.toMatch(/xd_demo_\w{49}/)
  })
})

describe('GET /dashboard/api-keys/:id/', () => {
  it('offers all of a key of its partner, and the name alone of others', async () => {
    const own = await dashboard.get(`${LIST}${sibling.id}/`)
    expect(partnersIn(own.text)).toEqual([partner.id])
    for (const { id } of [free, other.key]) {
      const { text } = await dashboard.get(`${LIST}${id}/`)
      expect(text).toContain(`is not linked to the partner of your own key, ${partner.name}.`)
      expect(text).not.toMatch(/name="(access|scopes|partner_id|release|rate_limit|expires_at)"/)
    }
  })
})

describe('POST /dashboard/api-keys/:id/', () => {
  it('does not unlink a key of its partner', async () => {
    const fields = { name: sibling.name, access: 'full', partner_id: '' }
    const answer = await dashboard.post(`${LIST}${sibling.id}/`, fields)
    expect(answer.status).toBe(403)
    expect(answer.text).toContain('This API key is linked to a partner:')
  })
})

describe('POST /dashboard/api-keys/:id/rotate/', () => {
  it('shows no value of a key without a partner', async () => {
    const answer = await dashboard.post(`${LIST}${free.id}/rotate/`, { overlap_seconds: '0' })
    expect(answer.status).toBe(403)
    expect(answer.text).not.toMatch(/xd_demo_\w{49}/)
  })
})
