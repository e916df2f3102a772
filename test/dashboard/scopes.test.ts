import { describe, expect, it } from 'vitest'
import { admin } from '../fixtures/opened.ts'
import { markupOf } from '../fixtures/pages-read.ts'
import { openDashboard, submit } from '../fixtures/session.ts'
import { client, createKey, unique } from '../fixtures/tenant.ts'

// What the dashboard shows to a key with some scopes of the settings.

const KEYS = '/dashboard/api-keys/'
const NEW_KEY = '/dashboard/new/api-key/'
const SETTINGS = '/api/settings/v1'
const WRITE_KEYS = ['settings.keys.read', 'settings.keys.write']

const navigationIn = (text: string) =>
  /<nav aria-label="Dashboard">.*?<\/nav>/s.exec(text)?.[0] ?? ''
const namesIn = (html: string) =>
  [...html.matchAll(/<a [^>]*>\s*([^<]*?)\s*<(?:\/a|span class="for-reader")>/g)].map(
    ([, name]) => name,
  )
const rowOf = (text: string, name: string) =>
  text.split('<tr>').find((row) => row.includes(name)) ?? ''
const boxOf = (text: string, scope: string) =>
  new RegExp(`<input [^>]*value="${scope.replaceAll('*', '\\*')}"[^>]*>`).exec(text)?.[0] ?? ''
const radioOf = (text: string, access: string) =>
  new RegExp(`<input type="radio"[^>]*value="${access}"[^>]*>`).exec(text)?.[0] ?? ''
const newPartner = async () =>
  (await admin.post(`${SETTINGS}/partners/`, { name: unique('Partner') })).body.data

describe('the navigation', () => {
  it.each([
    [
      ['settings.*', 'integrations.*'],
      [
        ...['Overview', 'Orders', 'Products', 'Locations', 'Inventory'],
        ...['Partners', 'Webhooks', 'Deliveries', 'Audit log'],
        ...['API keys', 'People', 'Workspace', 'History'],
      ],
    ],
    [['integrations.*'], ['Orders', 'Products', 'Locations', 'Inventory']],
    [['integrations.locations.read'], ['Locations']],
    [
      ['settings.*'],
      [
        ...['Overview', 'Partners', 'Webhooks', 'Deliveries', 'Audit log'],
        ...['API keys', 'People', 'Workspace', 'History'],
      ],
    ],
    [['settings.documents.read'], ['Deliveries']],
    [
      ['settings.read'],
      ['Overview', 'Partners', 'Webhooks', 'Audit log', 'API keys', 'Workspace', 'History'],
    ],
    [['settings.audit.read'], ['Overview', 'Audit log', 'History']],
    [['settings.keys.*'], ['Webhooks', 'API keys']],
    [
      ['settings.partners.read', 'settings.workspace.read'],
      ['Partners', 'Workspace'],
    ],
    [['settings.workspace.read', 'settings.write'], ['Workspace']],
  ])('of a key with %j leads to what it may see', async (scopes, areas) => {
    const dashboard = await openDashboard(scopes)
    const { text } = await dashboard.get('/dashboard/nothing/')
    expect(namesIn(navigationIn(text))).toEqual(areas)
  })
})

describe('POST /dashboard/sign-in/', () => {
  it.each([
    [['settings.audit.read'], '/dashboard/'],
    [['settings.keys.read'], '/dashboard/webhooks/'],
    [['settings.workspace.read', 'settings.partners.*'], '/dashboard/partners/'],
    [['settings.workspace.read'], '/dashboard/workspace/'],
    [['integrations.*'], '/dashboard/orders/'],
    [['integrations.inventory.read', 'settings.keys.read'], '/dashboard/inventory/'],
  ])('leads a key with %j to the first page that it may see', async (scopes, home) => {
    const { value } = await createKey(scopes)
    const answer = await submit('/dashboard/sign-in/', { key: value })
    expect(answer.headers.get('Location')).toBe(home)
  })

  it('refuses a key that may write and read nothing', async () => {
    const { value } = await createKey(['settings.write', 'integrations.orders.write'])
    const text = markupOf(await submit('/dashboard/sign-in/', { key: value }), 403)
    expect(text).toContain('opens no page of the dashboard: it needs one of the scopes')
  })
})

describe('GET /dashboard/', () => {
  it('shows no keys to a key that may not see any', async () => {
    const { text } = await (await openDashboard(['settings.audit.read'])).get('/dashboard/')
    expect(text).toContain('<h1>Overview</h1>')
    expect(text).not.toMatch(/Keys that expire soon|Create key/)
  })

  it('shows keys that expire, and of their ends what the session may change', async () => {
    const name = unique('key')
    const expires_at = new Date(Date.now() + 60_000).toISOString()
    const { id } = await createKey(['integrations.*'], { name, expires_at })
    const reads = ['settings.audit.read', 'settings.keys.read']
    const linksFor = async (scopes: string[]) => {
      const { text } = await (await openDashboard(scopes)).get('/dashboard/')
      const links = namesIn(rowOf(text.slice(text.indexOf('Keys that expire soon')), name))
      return links.filter((link) => link !== name)
    }
    expect(id).toBeDefined()
    expect(await linksFor(reads)).toEqual(['Requests'])
    expect(await linksFor([...reads, 'settings.keys.write'])).toEqual(['Requests', 'Edit'])
    expect(await linksFor([...reads, 'settings.keys.write', 'integrations.*'])).toEqual([
      'Requests',
      'Edit',
      'Rotate',
    ])
  })
})

describe('GET /dashboard/audit-log/', () => {
  it('offers no keys and partners to choose among that the session may not see', async () => {
    const { name } = await newPartner()
    const key = await createKey(['integrations.*'], { name: unique('key') })
    const { text } = await (await openDashboard(['settings.audit.read'])).get(
      `/dashboard/audit-log/?api_key_id=${key.id}`,
    )
    expect(text).toContain(`<option value="${key.id}" selected="">${key.id}</option>`)
    expect(text).not.toContain(name)
    const all = await (await openDashboard(['settings.read'])).get('/dashboard/audit-log/')
    expect(all.text).toContain(name)
  })
})

describe('GET /dashboard/partners/', () => {
  it('leads to the log only who may read it', async () => {
    const { id, name } = await newPartner()
    const reader = await openDashboard(['settings.partners.read'])
    expect(namesIn(rowOf((await reader.get('/dashboard/partners/')).text, name))).toEqual([name])
    expect((await reader.get(`/dashboard/partners/${id}/`)).text).not.toContain('Requests')
    const auditor = await openDashboard(['settings.partners.read', 'settings.audit.read'])
    const row = rowOf((await auditor.get('/dashboard/partners/')).text, name)
    expect(namesIn(row)).toEqual([name, 'Requests'])
  })
})

describe('GET /dashboard/workspace/', () => {
  it('offers no change to a key that may only read it', async () => {
    await admin.put(`${SETTINGS}/workspace/`, { integration_enabled: false })
    const reader = await openDashboard(['settings.workspace.read', 'settings.keys.write'])
    const { text } = await reader.get('/dashboard/workspace/')
    await admin.put(`${SETTINGS}/workspace/`, { integration_enabled: true })
    expect(text).toContain('The integration is switched off')
    expect(text).not.toMatch(/Switch it on|Switch on|>Save</)
  })
})

describe('GET /dashboard/api-keys/', () => {
  it('offers to rotate a key only where the session holds all its scopes', async () => {
    const name = unique('key')
    const { id } = await createKey(['integrations.orders.read', 'integrations.products.*'], {
      name,
    })
    const linksFor = async (...scopes: string[]) => {
      const { text } = await (await openDashboard([...WRITE_KEYS, ...scopes])).get(KEYS)
      return namesIn(rowOf(text, name)).filter((link) => link !== name)
    }
    expect(id).toBeDefined()
    expect(await linksFor('integrations.orders.*')).toEqual(['Edit', 'Pause', 'Revoke'])
    expect(await linksFor('integrations.*')).toEqual(['Edit', 'Pause', 'Rotate', 'Revoke'])
    expect(await linksFor('settings.audit.read')).toEqual(['Requests', 'Edit', 'Pause', 'Revoke'])
  })

  it("names a key's partner only to who may see partners", async () => {
    const { id: partner_id, name } = await newPartner()
    await admin.post(`${SETTINGS}/api-keys/`, { name: unique('key'), partner_id })
    const blind = await (await openDashboard(['settings.keys.read'])).get(KEYS)
    expect(blind.text).toContain(`partner ${partner_id}`)
    expect(blind.text).not.toContain(name)
    expect((await (await openDashboard(['settings.read'])).get(KEYS)).text).toContain(
      `<a href="/dashboard/partners/${partner_id}/">${name}</a>`,
    )
  })
})

describe('GET /dashboard/new/api-key/', () => {
  it('shows the scopes in their order, each area before what is in it', async () => {
    const { text } = await (await openDashboard()).get(NEW_KEY)
    const rows = [...text.matchAll(/<th scope="row"([^>]*)><code>([^<]*)<\/code>/g)].map(
      ([, look, name]) => [name, look?.includes('within')],
    )
    expect(rows).toEqual([
      ['integrations', false],
      ...['orders', 'products', 'locations', 'inventory'].map((name) => [name, true]),
      ['settings', false],
      ...['keys', 'people', 'partners', 'workspace', 'audit', 'documents', 'deliveries'].map(
        (name) => [name, true],
      ),
    ])
    expect(text).not.toMatch(/type="(checkbox|radio)"[^>]*disabled|greyed out/)
  })

  it('greys out what the session cannot grant, and says why', async () => {
    const dashboard = await openDashboard([...WRITE_KEYS, 'integrations.orders.*', 'settings.read'])
    const { text } = await dashboard.get(NEW_KEY)
    const open = [...text.matchAll(/<input type="checkbox"[^>]*value="([^"]*)"[^>]*>/g)]
      .filter(([box]) => !box.includes('disabled'))
      .map(([, scope]) => scope)
    expect(open.toSorted()).toEqual(
      [
        'integrations.orders.*',
        'integrations.orders.delete',
        'integrations.orders.read',
        'integrations.orders.write',
        'settings.audit.read',
        'settings.keys.read',
        'settings.keys.write',
        'settings.partners.read',
        'settings.read',
        'settings.workspace.read',
      ].toSorted(),
    )
    expect(text).toContain('your own key does not hold it')
    expect(radioOf(text, 'full')).toContain('disabled')
    expect(radioOf(text, 'read')).toContain('disabled')
    expect(radioOf(text, 'chosen')).toContain('checked')
  })

  it('begins with the widest access that the session can grant', async () => {
    const reads = ['orders', 'products', 'locations', 'inventory'].map(
      (resource) => `integrations.${resource}.read`,
    )
    const { text } = await (await openDashboard([...WRITE_KEYS, ...reads])).get(NEW_KEY)
    expect(radioOf(text, 'read')).toMatch(/checked/)
    expect(radioOf(text, 'full')).toMatch(/disabled/)
  })

  it('lists no partners to who may not see them, and says so', async () => {
    const { name } = await newPartner()
    const { text } = await (await openDashboard([...WRITE_KEYS, 'integrations.*'])).get(NEW_KEY)
    expect(text).not.toContain(name)
    expect(text).toContain('your own key lacks settings.partners.read')
  })
})

describe('POST /dashboard/new/api-key/', () => {
  it('shows the refusal of a scope that the session does not hold on the form', async () => {
    const dashboard = await openDashboard([...WRITE_KEYS, 'integrations.orders.read'])
    const name = unique('key')
    const scopes = ['integrations.orders.read', 'integrations.orders.write']
    const answer = await dashboard.post(NEW_KEY, { name, access: 'chosen', scopes })
    expect(answer.status).toBe(403)
    expect(answer.text).toMatch(
      /class="form-error"[^>]*>\s*This API key lacks the scope integrations\.orders\.write:/,
    )
    expect(answer.text).toContain(`value="${name}"`)
    expect(boxOf(answer.text, 'integrations.orders.read')).toContain('checked')
  })
})

describe('GET /dashboard/api-keys/:id/', () => {
  it('offers the name of a key alone that has scopes beyond those of the session', async () => {
    const name = unique('key')
    const { id } = await createKey(['integrations.orders.read', 'settings.*'], { name })
    const dashboard = await openDashboard([...WRITE_KEYS, 'integrations.orders.*'])
    const { text } = await dashboard.get(`${KEYS}${id}/`)
    expect(text).toContain(`value="${name}"`)
    expect(text).toContain('has scopes that your own key does not hold: settings.*')
    expect(text).not.toMatch(/name="(access|scopes|partner_id|release|rate_limit|expires_at)"/)
  })

  it('shows settings.read and settings.write of a key that has them', async () => {
    const { id } = await createKey(['settings.read', 'settings.write'])
    const { text } = await (await openDashboard()).get(`${KEYS}${id}/`)
    for (const scope of ['settings.read', 'settings.write'])
      expect(boxOf(text, scope)).toContain('checked')
  })
})

describe('POST /dashboard/api-keys/:id/', () => {
  it('renames a key with scopes beyond those of the session, and changes nothing else', async () => {
    const { id: partner_id } = await newPartner()
    const fields = { partner_id, expires_at: '2126-01-01', rate_limit: 60, release: '1.0' }
    const made = await admin.post(`${SETTINGS}/api-keys/`, { name: unique('key'), ...fields })
    const { key, id, ...before } = made.body.data
    const dashboard = await openDashboard(WRITE_KEYS)
    const name = unique('renamed')
    const answer = await dashboard.post(`${KEYS}${id}/`, { name })
    expect(answer.headers.get('Location')).toBe(`${KEYS}?done=key-saved`)
    const { body } = await admin.get(`${SETTINGS}/api-keys/${id}/`)
    expect(body.data).toEqual({ ...before, id, name })
    const text = markupOf(await dashboard.post(`${KEYS}${id}/`, { name: ' ' }), 400)
    expect(text).toContain('Rename API key')
    expect(text).toMatch(/id="name-error">Must have at least 1 character\./)
  })

  it('refuses more than the name of such a key', async () => {
    const { id } = await createKey(['integrations.*'])
    const dashboard = await openDashboard(WRITE_KEYS)
    const fields = { name: 'x', access: 'full' }
    const answer = await dashboard.post(`${KEYS}${id}/`, fields)
    expect(answer.status).toBe(403)
    expect(answer.text).toContain('lacks the scope integrations.*')
  })
})

describe('POST /dashboard/api-keys/:id/rotate/', () => {
  it('refuses a key with scopes beyond those of the session, and shows no value', async () => {
    const { id, value } = await createKey(['integrations.*'])
    const dashboard = await openDashboard(WRITE_KEYS)
    const text = markupOf(
      await dashboard.post(`${KEYS}${id}/rotate/`, { overlap_seconds: '0' }),
      403,
    )
    expect(text).toContain('lacks the scope integrations.*')
    expect(text).not.toMatch(/xd_demo_\w{49}/)
    expect((await client(value).get('/orders/')).status).toBe(200)
  })
})
