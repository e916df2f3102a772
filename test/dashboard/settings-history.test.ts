import { describe, expect, it } from 'vitest'
import { whatHappened } from '../../src/dashboard/records/what-happened.ts'
import { admin } from '../fixtures/opened.ts'
import { dashboard } from '../fixtures/opened-dashboard.ts'
import { wordsOf } from '../fixtures/pages-read.ts'
import { openPartner, saveMapping } from '../fixtures/partner.ts'
import { openDashboard } from '../fixtures/session.ts'
import { issueKey, KEYS } from '../fixtures/settings.ts'
import { type Answer, unique } from '../fixtures/tenant.ts'
import { filledIn } from './form-fields.ts'

const HISTORY = '/dashboard/history/'
const rulesOf = (source: string) => ({
  inbound: { unmapped: 'drop', fields: { order_number: source, 'items[].sku_code': 'l[].s' } },
})

async function makeMapping() {
  const partner = await openPartner({ mappings: { orders: rulesOf('no') } })
  await saveMapping(admin, partner.id, 'orders', rulesOf('nr'))
  const { body } = await admin.get(`/api/settings/v1/history/?record_id=${partner.id}&kind=mapping`)
  return { ...partner, change: body.data[0].id as number }
}

describe('GET /dashboard/history/', () => {
  it('names who changed what, with links to the record and the change', async () => {
    const { id, name, change } = await makeMapping()
    const page = await dashboard.get(`${HISTORY}?record_id=${id}`)
    expect(wordsOf(page)).toContain(`test key Mapping of orders, ${name} changed inbound api`)
    expect(page.text).toContain(`/dashboard/partners/${id}/mappings/orders/`)
    expect(page.text).toContain(`${HISTORY}${change}/`)
  })

  it('says so if nothing matches, and what is wrong with a filter', async () => {
    expect((await dashboard.get(`${HISTORY}?record_id=none`)).text).toContain('No change matches')
    const wrong = await dashboard.get(`${HISTORY}?kind=order`)
    expect([wrong.status, wrong.text]).toEqual([400, expect.stringContaining('Must be one of')])
  })
})

describe('GET /dashboard/history/{change}/', () => {
  it('says so if only the order of the rules differs', async () => {
    const { id } = await openPartner({ mappings: { orders: rulesOf('no') } })
    const { unmapped, fields } = rulesOf('no').inbound
    const reversed = Object.fromEntries(Object.entries(fields).toReversed())
    await saveMapping(admin, id, 'orders', { inbound: { unmapped, fields: reversed } })
    const { body } = await admin.get(`/api/settings/v1/history/?record_id=${id}&kind=mapping`)
    const page = await dashboard.get(`${HISTORY}${body.data[0].id}/`)
    expect(wordsOf(page)).toContain('Only the order of the rules differs.')
  })

  it('shows the rules before and after, and opens those of before in the editor', async () => {
    const { id, change } = await makeMapping()
    const page = await dashboard.get(`${HISTORY}${change}/`)
    expect(wordsOf(page)).toContain('inbound order_number no nr')
    const at = `/dashboard/partners/${id}/mappings/orders/`
    expect(page.text).toContain(`${at}?change=${change}&amp;state=before`)
    const editor = await dashboard.get(`${at}?change=${change}&state=before`)
    expect(editor.text).toContain('These rules are from the history')
    expect((await dashboard.post(at, filledIn(editor.text, 'mapping-editor', {}))).status).toBe(303)
    const { body } = await admin.get(`/api/settings/v1/partners/${id}/mappings/orders/`)
    expect(body.data.inbound).toEqual(rulesOf('no').inbound)
  })

  it('is 404 of what is no change, and of the rules of another mapping', async () => {
    const [{ change }, other] = [await makeMapping(), await openPartner()]
    expect((await dashboard.get(`${HISTORY}0/`)).status).toBe(404)
    expect((await dashboard.get(`${HISTORY}99999999/`)).status).toBe(404)
    const at = `/dashboard/partners/${other.id}/mappings/orders/?change=${change}&state=after`
    expect((await dashboard.get(at)).status).toBe(404)
  })
})

describe('the page of a partner or key', () => {
  it('shows the newest changes', async () => {
    const { id, key } = await openPartner()
    await admin.put(`/api/settings/v1/partners/${id}/`, { name: unique('partner') })
    for (const path of [`partners/${id}/`, `api-keys/${key.id}/`]) {
      expect((await dashboard.get(`/dashboard/${path}`)).text).toContain('<h2>History</h2>')
    }
    expect(wordsOf(await dashboard.get(`/dashboard/partners/${id}/`))).toContain(
      'test key changed name',
    )
  })
})

describe('GET /dashboard/audit-log/{request_id}/ of a request that changed settings', () => {
  const idIn = ({ headers }: Answer) => headers.get('X-Request-Id') ?? ''
  const pageOf = (answer: Answer, as = dashboard) => as.get(`/dashboard/audit-log/${idIn(answer)}/`)

  it('names the record and its change, with links to both', async () => {
    const { id, name } = await openPartner()
    const later = unique('Renamed')
    const renamed = await dashboard.post(`/dashboard/partners/${id}/`, { name: later })
    const page = await pageOf(renamed)
    expect(wordsOf(page)).toMatch(
      new RegExp(`What it changed Partner ${later} ?: changed name Show`),
    )
    expect(page.text).toContain(`href="/dashboard/partners/${id}/"`)
    const [, change] = /Show change (\d+)/.exec(page.text) ?? []
    expect(wordsOf(await dashboard.get(`${HISTORY}${change}/`))).toContain(`name ${name} ${later}`)
  })

  it('names both keys of a rotation, and what a form has created', async () => {
    const { id, name } = await issueKey(admin)
    const rotated = await admin.post(`${KEYS}${id}/rotate/`, {})
    expect(wordsOf(await pageOf(rotated))).toMatch(
      new RegExp(`API key ${name} ?: changed revoked at .*API key ${name} ?: created it`),
    )
    const partner = unique('New')
    const created = await dashboard.post('/dashboard/new/partner/', { name: partner })
    expect(wordsOf(await pageOf(created))).toMatch(new RegExp(`Partner ${partner} ?: created it`))
  })

  it('says nothing of a request that changed nothing, nor to a key that may not read the record', async () => {
    const { id, name } = await openPartner()
    const path = `/api/settings/v1/partners/${id}/`
    const renamed = await admin.put(path, { name: unique('Renamed') })
    for (const answer of [
      await admin.put(path, { name: '' }),
      await admin.put(`${path}?dry_run=true`, { name }),
      await admin.get(path),
    ]) {
      expect((await pageOf(answer)).text).not.toContain('What it changed')
    }
    const limited = await openDashboard(['settings.audit.read', 'settings.keys.read'])
    const page = await pageOf(renamed, limited)
    expect([page.status, page.text.includes('What it changed')]).toEqual([200, false])
  })
})

describe('whatHappened', () => {
  it.each([
    ['POST', '/api/integrations/v1/orders/', 'Created'],
    ['PUT', '/api/integrations/v1/products/undo%2F/', 'Changed'],
    ['PUT', '/api/integrations/v1/orders/SO-1/', 'Changed'],
    ['PUT', '/api/integrations/v1/products/undo/', 'Changed'],
    ['DELETE', '/api/integrations/v1/orders/SO-1/', 'Cancelled'],
    ['DELETE', '/api/integrations/v1/locations/A/', 'Deactivated'],
    ['POST', '/webhooks/v1/…/', 'Delivered'],
    ['POST', '/dashboard/new/product/', 'Created'],
    ['POST', '/dashboard/import/products/run/', 'Imported'],
    ['POST', '/dashboard/orders/1f/cancel/', 'Cancelled'],
    ['POST', '/dashboard/products/1f/edit/', 'Edited'],
    ['POST', '/dashboard/products/1f/deactivate/', 'Deactivated'],
    ['POST', '/dashboard/locations/1f/activate/', 'Activated'],
    ['POST', '/api/settings/v1/audit-log/1f/undo/', 'Set back by an undo'],
    ['POST', '/dashboard/audit-log/1f/undo/', 'Set back by an undo'],
    ['POST', '/api/settings/v1/workspace/', null],
  ])('%s %s: %s', (method, path, words) => {
    expect(whatHappened({ method, path })).toBe(words)
  })
})
