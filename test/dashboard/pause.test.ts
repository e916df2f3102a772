import { beforeAll, describe, expect, it } from 'vitest'
import { admin } from '../fixtures/opened.ts'
import { markupOf } from '../fixtures/pages-read.ts'
import { openPartner } from '../fixtures/partner.ts'
import {
  type Dashboard,
  openDashboard,
  submit,
  versionIn,
  withCookie,
} from '../fixtures/session.ts'
import { findKey, inSeconds, issueKey, WORKSPACE } from '../fixtures/settings.ts'
import { newCookie } from '../fixtures/signed-in.ts'
import { type Api, client, unique } from '../fixtures/tenant.ts'

let cookie: string
let dashboard: Dashboard

beforeAll(async () => {
  cookie = await newCookie()
  dashboard = withCookie(cookie)
})

const reasonOf = async (api: Api) => (await api.get('/orders/')).body.error?.reason ?? null

describe('POST /dashboard/partners/:id/pause/', () => {
  it('pauses for an hour with a note, which its page and the list show, and resumes', async () => {
    const { id, name, api } = await openPartner()
    const page = `/dashboard/partners/${id}/`
    const note = unique('Counting')
    const paused = await dashboard.post(`${page}pause/`, { length: '3600', note })
    expect(paused.headers.get('Location')).toBe(`${page}?done=paused`)
    expect(await reasonOf(api)).toBe('PAUSED')

    const { text } = await dashboard.get(`${page}?done=paused`)
    expect(text).toContain(note)
    expect(text).toContain('Requests get 503 with Retry-After from the next one on.')
    const { pause } = (await admin.get(`/api/settings/v1/partners/${id}/`)).body.data
    expect(text).toContain(`paused until <time datetime="${pause.until}"`)
    expect(text.indexOf(`(${note})`)).toBeLessThan(text.indexOf('id="mappings"'))
    expect(text).toContain(`(${note})`)
    const ahead = Date.parse(pause.until) - Date.now()
    expect(ahead).toBeGreaterThan(3_500_000)
    expect(ahead).toBeLessThanOrEqual(3_600_000)
    const list = (await dashboard.get('/dashboard/partners/?limit=1')).text
    expect(list).toMatch(
      new RegExp(`${name}</a>\\s*<small class="line"><span class="status paused"`),
    )

    expect((await dashboard.get(`${page}pause/`)).text).toContain(`Resume “${name}”?`)
    const resumed = await resume(`${page}pause/`)
    expect(resumed.headers.get('Location')).toBe(`${page}?done=resumed`)
    expect(await reasonOf(api)).toBeNull()
  })

  it('shows the form again, as it was filled in, with what is wrong', async () => {
    const { id, api } = await openPartner()
    const at = `/dashboard/partners/${id}/pause/`
    for (const [fields, message] of [
      [{ length: 'until', until: '2026-01-01T10:00' }, 'Must be in the future.'],
      [{ length: 'until', until: '' }, 'Say when the pause ends.'],
      [
        { length: '', until: '2099-01-01T10:00' },
        'Choose “Until the time below”, or leave this empty.',
      ],
      [{ length: '900', note: 'x'.repeat(256) }, 'Must have at most 255 characters.'],
    ] as const) {
      const text = markupOf(await dashboard.post(at, { note: 'Typed before', ...fields }), 400)
      expect(text).toContain(message)
      expect(text).toContain(`<option value="${fields.length}" selected`)
      if (!('note' in fields)) expect(text).toContain('value="Typed before"')
    }
    expect(await reasonOf(api)).toBeNull()
  })

  it('pauses until a time, and shows a conflict instead of pausing what others have changed', async () => {
    const { id, api } = await openPartner()
    const at = `/dashboard/partners/${id}/pause/`
    const version = versionIn(await dashboard.get(at))
    await admin.put(`/api/settings/v1/partners/${id}/`, { name: unique('Renamed') })
    const fields = { length: 'until', until: inSeconds(600), note: '' }
    const outdated = await dashboard.post(at, { ...fields, version })
    expect([outdated.status, await reasonOf(api)]).toEqual([412, null])
    expect(outdated.text).toContain('has been changed since')
    expect((await dashboard.post(at, fields)).status).toBe(303)
    expect(await reasonOf(api)).toBe('PAUSED')
    // Somebody else has the page open on which it was not paused yet.
    const typed = { length: '900', note: 'Of the other one' }
    const text = markupOf(await dashboard.post(at, { ...typed, version }), 412)
    expect(text).toContain('value="Of the other one"')
    expect(text).not.toContain('>Resume<')
  })

  it('is offered to nobody who may only read', async () => {
    const { id } = await openPartner()
    const reader = await openDashboard(['settings.read'])
    await admin.put(`/api/settings/v1/partners/${id}/`, { pause: {} })
    const { text } = await reader.get(`/dashboard/partners/${id}/`)
    expect(text).toContain('paused until resumed')
    expect(text).not.toMatch(/>Resume<|>Pause</)
    expect((await reader.post(`/dashboard/partners/${id}/pause/`)).status).toBe(403)
  })
})

describe('POST /dashboard/api-keys/:id/pause/', () => {
  it('pauses a key, of which the list says so, and resumes it', async () => {
    const name = unique('key')
    const { id, key } = await issueKey(admin, { name })
    const at = `/dashboard/api-keys/${id}/pause/`
    expect((await dashboard.post(at, { note: 'Leaking' })).headers.get('Location')).toBe(
      '/dashboard/api-keys/?done=paused',
    )
    expect(await reasonOf(client(key))).toBe('PAUSED')
    const list = (await dashboard.get('/dashboard/api-keys/')).text
    const row = list.slice(list.indexOf(name), list.indexOf('</tr>', list.indexOf(name)))
    expect(row).toContain('paused until resumed')
    expect(row).toContain('Resume')
    await resume(at)
    expect((await findKey(admin, id)).pause).toBeNull()
  })
})

describe('GET /dashboard/api-keys/:id/pause/', () => {
  it('offers nothing for a key that is revoked', async () => {
    const { id } = await issueKey(admin)
    await admin.delete(`/api/settings/v1/api-keys/${id}/`)
    const { text } = await dashboard.get(`/dashboard/api-keys/${id}/pause/`)
    expect(text).toContain('This key is revoked')
    expect(text).not.toContain('>Pause</button>')
  })
})

describe('GET /dashboard/api-keys/', () => {
  it('says that the partner of a key is paused', async () => {
    const { id, name } = await openPartner()
    await admin.put(`/api/settings/v1/partners/${id}/`, { pause: {} })
    const { text } = await dashboard.get('/dashboard/api-keys/')
    const row = text.slice(text.indexOf(`${name}</a>`))
    expect(row.slice(0, row.indexOf('</tr>'))).toMatch(
      /partner <span class="status paused">paused until resumed/,
    )
  })
})

describe('POST /dashboard/workspace/pause/', () => {
  it('pauses all, of which every page says so, and resumes', async () => {
    expect((await dashboard.get('/dashboard/workspace/integration/')).text).toContain(
      'Pause all instead',
    )
    await dashboard.post('/dashboard/workspace/pause/', { length: '900' })
    const refused = await admin.get('/orders/')
    expect(refused.body.error.reason).toBe('PAUSED')
    const page = `/dashboard/audit-log/${refused.headers.get('X-Request-Id')}/`
    expect((await dashboard.get(page)).text).toContain('The request is not at fault.')
    for (const path of ['/dashboard/workspace/', '/dashboard/partners/', '/dashboard/orders/']) {
      expect((await dashboard.get(path)).text).toMatch(
        /All calls of partners are on hold: <span class="status paused"/,
      )
    }
    await resume('/dashboard/workspace/pause/')
    expect((await admin.get(WORKSPACE)).body.data.pause).toBeNull()
    expect((await dashboard.get('/dashboard/orders/')).text).not.toContain('status paused')
  })
})

/** The form of a paused record has no fields for a pause. */
async function resume(path: string) {
  const version = versionIn(await dashboard.get(path))
  return await submit(path, { confirmed: 'true', version }, { Cookie: cookie })
}
