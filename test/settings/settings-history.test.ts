import { beforeAll, describe, expect, it } from 'vitest'
import { db } from '../fixtures/opened.ts'
import { openPartner, saveMapping } from '../fixtures/partner.ts'
import { findKey, issueKey, KEYS, WORKSPACE } from '../fixtures/settings.ts'
import { allRows, execute } from '../fixtures/sql.ts'
import { type Api, client, createKey, type Json, unique } from '../fixtures/tenant.ts'

// docs/behaviour.md, History of settings.

const SETTINGS = '/api/settings/v1'
const HISTORY = `${SETTINGS}/history/`
const RULES = { unmapped: 'drop', fields: { order_number: 'no' } }
const OTHER_RULES = { unmapped: 'drop', fields: { order_number: 'id' } }

let admin: Api
let adminKey: Json

beforeAll(async () => {
  adminKey = await createKey(['integrations.*', 'settings.*'])
  admin = client(adminKey.value)
})

async function changesOf(record_id: string, more = ''): Promise<Json[]> {
  return (await admin.get(`${HISTORY}?record_id=${record_id}${more}`)).body.data
}

async function whole({ id }: Json): Promise<Json> {
  return (await admin.get(`${HISTORY}${id}/`)).body.data
}

describe('GET /history/', () => {
  it('has who changed which fields of a partner, in which request, newest first', async () => {
    const { id, name } = await openPartner()
    const renamed = await admin.put(`${SETTINGS}/partners/${id}/`, { name: `${name} 2` })
    const [changed, created, ...others] = await changesOf(id)
    expect(others).toEqual([])
    expect(changed).toMatchObject({
      kind: 'partner',
      record_id: id,
      resource: null,
      name: `${name} 2`,
      action: 'changed',
      fields: ['name'],
      request_id: renamed.headers.get('X-Request-Id'),
      api_key_id: adminKey.id,
      source: 'api',
    })
    expect(created).toMatchObject({ action: 'created', name, source: 'api' })
    expect(await whole(changed as Json)).toMatchObject({
      before: { name, default_identifier_field: null },
      after: { name: `${name} 2`, default_identifier_field: null },
    })
  })

  it('has the rules of a mapping before and after, and its end', async () => {
    const { id } = await openPartner({ mappings: { orders: { inbound: RULES } } })
    await saveMapping(admin, id, 'orders', { inbound: OTHER_RULES })
    await admin.delete(`${SETTINGS}/partners/${id}/mappings/orders/`)
    const changes = await changesOf(id, '&resource=orders')
    expect(changes.map(({ action, fields }) => [action, fields])).toEqual([
      ['deleted', ['inbound']],
      ['changed', ['inbound']],
      ['created', ['inbound']],
    ])
    const [deleted, changed] = await Promise.all(changes.map(whole))
    expect(changed).toMatchObject({ before: { inbound: RULES }, after: { inbound: OTHER_RULES } })
    expect(deleted).toMatchObject({ before: { inbound: OTHER_RULES }, after: null })
  })

  it('names the old key and the new one of a rotation', async () => {
    const { id } = await issueKey(admin)
    const { body } = await admin.post(`${KEYS}${id}/rotate/`, {})
    const [ended] = await changesOf(id)
    const [made] = await changesOf(body.data.id)
    expect(ended).toMatchObject({ action: 'changed', fields: ['revoked_at'], source: 'api' })
    expect(made).toMatchObject({ action: 'created', source: 'api' })
    expect(ended?.request_id).toBe(made?.request_id)
  })

  it('has no entry of a change that changes nothing, that is refused, or that is a dry run', async () => {
    const { id, name } = await openPartner()
    await admin.put(`${SETTINGS}/partners/${id}/`, { name })
    await admin.put(`${SETTINGS}/partners/${id}/`, { name: '' })
    await admin.put(`${SETTINGS}/partners/${id}/?dry_run=true`, { name: unique('partner') })
    expect(await changesOf(id)).toHaveLength(1)
  })

  it('tells a change by an operator from that of the last request', async () => {
    const { id } = await issueKey(admin)
    await admin.put(`${KEYS}${id}/`, { name: unique('key') })
    await execute('update api_keys set name = ? where id = ?', unique('key'), id)
    const [bySql, byRequest] = await changesOf(id)
    expect(bySql).toMatchObject({ source: 'operator', api_key_name: null, request_id: null })
    expect(byRequest).toMatchObject({ source: 'api', api_key_id: adminKey.id })
  })

  it('tells a change by an operator from a request that was about the record and changed nothing', async () => {
    const { id } = await openPartner({ mappings: { orders: { inbound: RULES } } })
    const at = `${SETTINGS}/partners/${id}/mappings/orders/`
    await admin.post(`${at}preview/`, { payload: { no: 'A' } })
    await execute('update field_mappings set inbound = null where partner_id = ?', id)
    expect(await changesOf(id, '&kind=mapping')).toMatchObject([
      { source: 'operator', action: 'changed' },
      { source: 'api', action: 'created' },
    ])
    await admin.delete(at)
    await saveMapping(admin, id, 'orders', { inbound: RULES })
    await execute('delete from field_mappings where partner_id = ?', id)
    const all = await changesOf(id, '&kind=mapping')
    expect(all.map(({ source, action }) => [source, action]).slice(0, 3)).toEqual([
      ['operator', 'deleted'],
      ['api', 'created'],
      ['api', 'deleted'],
    ])
  })

  it.each([
    ['api_keys', async () => `${KEYS}${(await issueKey(admin)).id}/`],
    ['partners', async () => `${SETTINGS}/partners/${(await openPartner()).id}/`],
  ] as const)('raises the version of a row of %s that an operator changes', async (table, make) => {
    const path = await make()
    const tag = (await admin.get(path)).headers.get('ETag') ?? ''
    const [, id] = path.split('/').toReversed()
    const rename = db.prepare(`update ${table} set name = ? where id = ?`)
    await rename.bind(unique('name'), id).run()
    const outdated = { headers: { 'If-Match': tag } }
    expect((await admin.put(path, { name: unique('name') }, outdated)).status).toBe(412)
    const tags = new Set([tag])
    for (const change of ['sql', 'api', 'sql', 'sql', 'api']) {
      const name = unique('name')
      if (change === 'sql') await rename.bind(name, id).run()
      else await admin.put(path, { name })
      tags.add((await admin.get(path)).headers.get('ETag') ?? '')
    }
    expect(tags.size).toBe(6)
  })

  it('raises the version of a mapping, and of the workspace, that an operator changes', async () => {
    const { id } = await openPartner({ mappings: { orders: { inbound: RULES } } })
    const path = `${SETTINGS}/partners/${id}/mappings/orders/`
    const tagAt = async (at: string) => (await admin.get(at)).headers.get('ETag') ?? ''
    const [ofMapping, ofWorkspace] = [await tagAt(path), await tagAt(WORKSPACE)]
    const insert = `insert into field_mappings (partner_id, resource, updated_at) values ('${id}', 'orders', '')`
    for (let times = 0; times < 2; times++) {
      await execute('delete from field_mappings where partner_id = ?', id)
      await execute(insert)
    }
    await execute('update workspace set name = ?', unique('Home'))
    for (const [at, tag] of [
      [path, ofMapping],
      [WORKSPACE, ofWorkspace],
    ] as const) {
      expect((await admin.put(at, {}, { headers: { 'If-Match': tag } })).status).toBe(412)
    }
    const results = await allRows<Json>(
      'select version from settings_history where record_id = ? and resource is not null',
      id,
    )
    expect(new Set(results.map(({ version }) => version)).size).toBe(5)
  })

  it('tells an operator who sets the version from the request before', async () => {
    const { id } = await openPartner()
    await admin.put(`${SETTINGS}/partners/${id}/`, { name: unique('partner') })
    const sql = 'update partners set name = ?, version = version + 1 where id = ?'
    await execute(sql, unique('partner'), id)
    expect((await changesOf(id))[0]).toMatchObject({ source: 'operator', request_id: null })
  })

  it('repeats no version of a mapping that an operator replaces', async () => {
    const { id } = await openPartner({ mappings: { orders: { inbound: RULES } } })
    const path = `${SETTINGS}/partners/${id}/mappings/orders/`
    // The newest change of all.
    await saveMapping(admin, id, 'orders', { inbound: OTHER_RULES })
    const tag = (await admin.get(path)).headers.get('ETag') ?? ''
    const replace = `insert or replace into field_mappings (partner_id, resource, updated_at) values ('${id}', 'orders', '')`
    await execute(replace)
    expect((await admin.get(path)).headers.get('ETag')).not.toBe(tag)
    expect((await admin.put(path, {}, { headers: { 'If-Match': tag } })).status).toBe(412)
  })

  it('has a key and a partner that an operator deletes', async () => {
    const { id } = await issueKey(admin)
    await execute('delete from api_keys where id = ?', id)
    expect(await changesOf(id)).toMatchObject([
      { action: 'deleted', source: 'operator' },
      { action: 'created', source: 'api' },
    ])
    const { id: partner } = (await admin.post(`${SETTINGS}/partners/`, { name: unique('gone') }))
      .body.data
    await execute('delete from partners where id = ?', partner)
    expect((await changesOf(partner))[0]).toMatchObject({ action: 'deleted', source: 'operator' })
  })

  it('is filtered by kind, key and time, in pages', async () => {
    const { id } = await openPartner({ mappings: { orders: { inbound: RULES } } })
    const since = new Date().toISOString()
    await saveMapping(admin, id, 'orders', { inbound: OTHER_RULES })
    expect(await changesOf(id, '&kind=mapping')).toHaveLength(2)
    expect(await changesOf(id, `&from=${since}`)).toHaveLength(1)
    expect(await changesOf(id, `&to=${since}`)).toHaveLength(2)
    expect(await changesOf(id, `&api_key_id=${adminKey.id}`)).toHaveLength(1)
    const all = await changesOf(id)
    const first = await admin.get(`${HISTORY}?record_id=${id}&limit=2`)
    const next = await admin.get(
      `${HISTORY}?record_id=${id}&limit=2&cursor=${first.body.pagination.next_cursor}`,
    )
    expect([...first.body.data, ...next.body.data]).toEqual(all)
    expect(next.body.pagination.next_cursor).toBeNull()
  })

  it('compares at most 1,000 changes for a page, and goes on behind them', async () => {
    const { id } = await openPartner()
    const many = `with recursive n (i) as (select 1 union all select i + 1 from n where i < 1200)
      insert into settings_history (kind, record_id, name, version, action, fields, created_at, source)
      select 'workspace', 'demo', 'x', 1, 'changed', '[]', '2026-11-27T00:00:00.000Z', 'operator' from n`
    await execute(many)
    const ask = `${HISTORY}?kind=partner&limit=1`
    const first = await admin.get(ask)
    expect(first.body.data).toEqual([])
    const next = await admin.get(`${ask}&cursor=${first.body.pagination.next_cursor}`)
    expect(next.body.data).toMatchObject([{ record_id: id }])
    await execute("delete from settings_history where name = 'x'")
  })

  it('shows nothing of what the key may not read, and says so', async () => {
    const { id } = await openPartner()
    const limited = client((await createKey(['settings.audit.read', 'settings.keys.read'])).value)
    const { body } = await limited.get(`${HISTORY}?record_id=${id}`)
    expect(body.data).toEqual([])
    expect(body.warnings).toMatchObject([
      { message: expect.stringContaining('settings.partners.read') },
    ])
    expect((await limited.get(`${HISTORY}?kind=partner`)).status).toBe(403)
    const [change] = await changesOf(id)
    expect((await limited.get(`${HISTORY}${change?.id}/`)).status).toBe(404)
  })

  it('shows people only to who may read people, and keys only to who may read keys', async () => {
    const email = `${unique('ada')}@example.com`
    const person = { name: 'Ada Lund', email, role: 'viewer' }
    const { id } = (await admin.post(`${SETTINGS}/people/`, person)).body.data
    const [change] = await changesOf(id)
    const key = await issueKey(admin)
    const readers: [string[], number, number, string][] = [
      [['settings.read'], 0, 1, 'settings.people.read'],
      [['settings.audit.read', 'settings.people.read'], 1, 0, 'settings.keys.read'],
    ]
    for (const [scopes, people, keys, lacked] of readers) {
      const reader = client((await createKey(scopes)).value)
      const of = (record: string) => reader.get(`${HISTORY}?kind=api_key&record_id=${record}`)
      const { body } = await of(id)
      expect(body.data).toHaveLength(people)
      expect(body.warnings).toMatchObject([{ message: expect.stringContaining(lacked) }])
      expect((await of(key.id)).body.data).toHaveLength(keys)
      expect((await reader.get(`${HISTORY}${change?.id}/`)).status).toBe(people ? 200 : 404)
    }
    await admin.delete(`${SETTINGS}/people/${id}/`)
    const viewer = client((await createKey(['settings.read'])).value)
    expect((await viewer.get(HISTORY)).text).not.toContain('Ada Lund')
  })

  it('replayed from the beginning gives the settings of today', async () => {
    const { id } = await issueKey(admin)
    const changes: Json[] = [
      { name: unique('key') },
      { rate_limit: 60, scopes: ['settings.read'] },
      { rate_limit: null, reads: 'near' },
    ]
    for (const change of changes) await admin.put(`${KEYS}${id}/`, change)
    const entries = await Promise.all((await changesOf(id)).map(whole))
    for (const [at, { before }] of entries.entries()) {
      expect(before).toEqual(entries[at + 1]?.after ?? null)
    }
    const record = await findKey(admin, id)
    const kept = Object.keys(entries[0]?.after).filter((name) => name in record)
    expect(kept).toHaveLength(Object.keys(entries[0]?.after).length)
    for (const name of kept) expect(entries[0]?.after[name]).toEqual(record[name])
  })

  it('has each setting of the workspace in both triggers that list its columns', async () => {
    const results = await allRows<Json>(
      "select name, sql from sqlite_schema where type = 'trigger' and tbl_name = 'workspace'",
    )
    const columnsOf = (trigger: string): string[] => {
      const { sql } = results.find(({ name }) => name === trigger) as Json
      return /UPDATE OF ([^;]*?)\s+ON workspace/.exec(sql)?.[1]?.split(/,\s*/) ?? []
    }
    const listed = columnsOf('workspace_changed_remembered')
    expect(listed.length).toBeGreaterThan(5)
    // The test below compares these with the columns of the table.
    expect(columnsOf('workspace_changed').toSorted()).toEqual([...listed, 'tenant'].toSorted())
    await admin.put(WORKSPACE, { name: unique('Home') })
    const [change] = await changesOf('demo')
    expect(Object.keys((await whole(change as Json)).after).toSorted()).toEqual(listed.toSorted())
  })

  it('has the workspace', async () => {
    const name = unique('Home')
    await admin.put(WORKSPACE, { name, keep_documents: { of: 'errors', days: 3 } })
    const [change] = await changesOf('demo')
    expect(change).toMatchObject({ kind: 'workspace', name })
    expect((await whole(change as Json)).after).toMatchObject({
      keep_documents: { of: 'errors', days: 3 },
    })
    await admin.put(WORKSPACE, { keep_documents: null })
  })

  it('costs a change of settings two rows more, and a request none', async () => {
    const { id } = await issueKey(admin)
    const sql =
      'update api_keys set name = ?, version = (select settings_version + 1 from workspace)'
    const { meta } = await execute(`${sql} where id = ?`, unique('key'), id)
    const again = await execute('update api_keys set hint = hint where id = ?', id)
    expect(meta.rows_written - again.meta.rows_written).toBe(2)
  })

  it.each([
    // test/settings/webhook-secrets.test.ts has those of webhooks, test/settings/grants.test.ts those of people.
    [
      'api_key',
      'api_keys',
      ['seq', 'id', 'hash', 'hint', 'created_at', 'email', 'webhook', 'webhook_secrets'],
    ],
    ['partner', 'partners', ['seq', 'id', 'created_at', 'updated_at']],
    ['mapping', 'field_mappings', ['partner_id', 'resource', 'updated_at']],
    [
      'workspace',
      'workspace',
      ['id', 'tenant', 'settings_version', 'created_at', 'updated_at', 'changes_epoch'].concat(
        'remembered_since',
        'stock_listed_after',
        'backed_up_at',
      ),
    ],
  ])('has every setting of a record of kind %s', async (kind, table, others) => {
    await openPartner({ mappings: { orders: { inbound: RULES } } })
    await admin.put(WORKSPACE, { name: unique('Home') })
    const [change] = (await admin.get(`${HISTORY}?kind=${kind}&limit=1`)).body.data
    const results = await allRows<Json>(`select name from pragma_table_info('${table}')`)
    const settings = results
      .map(({ name }) => name)
      .filter((name) => ![...others, 'version'].includes(name))
    expect(Object.keys((await whole(change)).after).toSorted()).toEqual(settings.toSorted())
  })
})
