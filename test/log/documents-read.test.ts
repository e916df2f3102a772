import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { itInDeep } from '../fixtures/depth.ts'
import {
  badOrder,
  documentOf,
  idOf,
  keep,
  keysWith,
  openKept,
  SETTINGS,
  stateOf,
} from '../fixtures/kept-documents.ts'
import { client, createKey, openAdmin, openTenant, unique } from '../fixtures/tenant.ts'

const ALL = { of: 'all', days: 90 }
const path = (id: string) => `${SETTINGS}/audit-log/${id}/document/`

beforeAll(async () => {
  await openTenant()
  await openTenant('other')
})

describe('GET /audit-log/{request_id}/document/', () => {
  it('needs a scope that settings.read and settings.write do not cover', async () => {
    const { api, admin } = await openKept(ALL)
    const refused = await api.post('/orders/', badOrder())
    const reader = client((await createKey(['settings.documents.read'])).value)
    const older = client(
      (await createKey(['settings.read', 'settings.write', 'settings.audit.read'])).value,
    )
    expect((await documentOf(reader, refused)).status).toBe(200)
    expect((await documentOf(older, refused)).status).toBe(403)
    expect((await reader.delete(path(idOf(refused)))).status).toBe(403)
    expect((await documentOf(admin, refused)).status).toBe(200)
  })

  it('shows nothing to a key that is linked to a partner, whatever its scopes', async () => {
    const { api, admin, id, key } = await openKept(ALL)
    const refused = await api.post('/orders/', badOrder())
    await admin.put(`${SETTINGS}/api-keys/${key.id}/`, { scopes: ['integrations.*', 'settings.*'] })
    for (const answer of [
      await documentOf(api, refused),
      await api.delete(path(idOf(refused))),
      await api.delete(`${SETTINGS}/partners/${id}/documents/`),
    ]) {
      expect([answer.status, answer.body.error.code]).toEqual([403, 'SCOPE_MISSING'])
    }
    expect((await documentOf(admin, refused)).status).toBe(200)
  })

  it('shows nothing of another tenant, and deletes nothing there', async () => {
    const { api, admin, id } = await openKept(ALL)
    const refused = await api.post('/orders/', badOrder())
    const stranger = await openAdmin('other')
    expect((await documentOf(stranger, refused)).status).toBe(404)
    expect((await stranger.delete(path(idOf(refused)))).status).toBe(404)
    expect((await stranger.delete(`${SETTINGS}/partners/${id}/documents/`)).status).toBe(404)
    expect((await documentOf(admin, refused)).status).toBe(200)
  })

  it('asks R2 for nothing but request ids of the log', async () => {
    const admin = await openAdmin()
    await env.DB_DEMO.prepare(
      `insert into audit_log (request_id, created_at, settings_version, api_key_id, api_key_name, method, path, status,
         duration_ms, document_until) values ('x', '2026-11-23', 1, 'k', 'k', 'POST', '/', 400, 1, 9e15)`,
    ).run()
    const bindings = { ...env, DOCUMENTS: { get: unasked, delete: unasked, list: unasked } }
    for (const id of ['x', '..%2F..%2Fother', crypto.randomUUID(), `${crypto.randomUUID()}%0A`]) {
      for (const method of ['GET', 'DELETE']) {
        const answer = await admin.call(method, path(id), undefined, { bindings })
        expect([answer.status, answer.body.detail]).toEqual([
          404,
          expect.stringMatching(/^The audit log has no/),
        ])
      }
    }
  })

  it('shows nothing past the days of today, as soon as they are lowered', async () => {
    const { api, admin, id } = await openKept({ of: 'all', days: 10 })
    const refused = await api.post('/orders/', badOrder())
    const { created_at } = (await admin.get(`${SETTINGS}/audit-log/${idOf(refused)}/`)).body.data
    await keep(admin, id, { of: 'all', days: 2 })
    const until = new Date(Date.parse(created_at) + 2 * 86_400_000).toISOString()
    expect((await documentOf(admin, refused)).body.data.kept_until).toBe(until)
    await keep(admin, id, null)
    expect((await documentOf(admin, refused)).body.detail).toMatch(
      /has expired: none are kept any longer\.$/,
    )
    await keep(admin, id, { of: 'all', days: 90 })
    const kept = (await documentOf(admin, refused)).body.data
    expect(kept.kept_until).toBe(new Date(Date.parse(created_at) + 10 * 86_400_000).toISOString())
  })

  it('says when a document has expired, although R2 has it', async () => {
    const { api, admin } = await openKept(ALL)
    const refused = await api.post('/orders/', badOrder())
    await env.DB_DEMO.prepare('update audit_log set document_until = ? where request_id = ?')
      .bind(Date.now() - 1, idOf(refused))
      .run()
    const expired = await documentOf(admin, refused)
    expect([expired.status, expired.body.detail]).toEqual([
      404,
      expect.stringMatching(/has expired: on 2/),
    ])
    expect(await keysWith(idOf(refused))).toHaveLength(1)
  })

  it('says that a document is not stored, if R2 has none', async () => {
    const { api, admin } = await openKept(ALL)
    const refused = await api.post('/orders/', badOrder())
    const [key = ''] = await keysWith(idOf(refused))
    await env.DOCUMENTS.delete(key)
    const missing = await documentOf(admin, refused)
    expect([missing.status, missing.body.detail]).toEqual([
      404,
      expect.stringMatching(/is not stored/),
    ])
  })

  it('is a row of the audit log', async () => {
    const { api, admin } = await openKept(ALL)
    const refused = await api.post('/orders/', badOrder())
    const shown = await documentOf(admin, refused)
    const { body } = await admin.get(`${SETTINGS}/audit-log/?request_id=${idOf(shown)}`)
    expect(body.data).toMatchObject([
      { method: 'GET', path: path(idOf(refused)), status: 200, document: null },
    ])
  })

  it('answers 503 where R2 fails', async () => {
    const { api, admin } = await openKept(ALL)
    const refused = await api.post('/orders/', badOrder())
    const bindings = { ...env, DOCUMENTS: { get: failing, delete: failing, list: failing } }
    const { id } = (await admin.get(`${SETTINGS}/audit-log/${idOf(refused)}/`)).body.data.partner
    for (const answer of [
      await documentOf(admin, refused, { bindings }),
      await admin.delete(path(idOf(refused)), undefined, { bindings }),
      await admin.delete(`${SETTINGS}/partners/${id}/documents/`, undefined, { bindings }),
    ]) {
      expect(answer.status).toBe(503)
      expect(answer.text).not.toContain('secret')
    }
    expect(await stateOf(admin, refused)).toMatchObject({ state: 'kept' })
  })
})

describe('DELETE /audit-log/{request_id}/document/', () => {
  it('deletes the document, says so from then on, and may be repeated', async () => {
    const { api, admin } = await openKept(ALL)
    const [refused, other] = [
      await api.post('/orders/', badOrder()),
      await api.post('/orders/', badOrder()),
    ]
    const document = { state: 'not_kept', reason: 'deleted' }
    for (const _ of ['once', 'again']) {
      const deleted = await admin.delete(path(idOf(refused)))
      expect([deleted.status, deleted.body.data]).toEqual([
        200,
        { request_id: idOf(refused), document },
      ])
    }
    expect(await keysWith(idOf(refused))).toEqual([])
    expect(await stateOf(admin, refused)).toEqual(document)
    expect((await documentOf(admin, refused)).body.detail).toMatch(/has been deleted\.$/)
    expect((await documentOf(admin, other)).status).toBe(200)
  })

  it('is a row of the audit log, of the change too', async () => {
    const { api, admin, id } = await openKept(ALL)
    const refused = await api.post('/orders/', badOrder())
    for (const [at, record] of [
      [path(idOf(refused)), idOf(refused)],
      [`${SETTINGS}/partners/${id}/documents/`, id],
    ]) {
      const deleted = await admin.delete(at ?? '')
      const rows = await env.DB_DEMO.prepare(
        'select method, path, status, record_id from audit_log where request_id = ?',
      )
        .bind(idOf(deleted))
        .all()
      expect(rows.results).toEqual([{ method: 'DELETE', path: at, status: 200, record_id: record }])
    }
  })

  it('answers for a request without a document too', async () => {
    const { api, admin } = await openKept(null)
    const refused = await api.post('/orders/', badOrder())
    const deleted = await admin.delete(path(idOf(refused)))
    expect(deleted.body.data).toEqual({ request_id: idOf(refused), document: null })
  })

  it('deletes nothing for a key that has been revoked since', async () => {
    const { api } = await openKept(ALL)
    const refused = await api.post('/orders/', badOrder())
    const { id, value } = await createKey(['settings.documents.write'])
    await client(value).get('/orders/')
    await env.DB_DEMO.prepare('update api_keys set revoked_at = created_at where id = ?')
      .bind(id)
      .run()
    expect((await client(value).delete(path(idOf(refused)))).status).toBe(401)
    expect(await keysWith(idOf(refused))).toHaveLength(1)
  })
})

describe('DELETE /partners/{id}/documents/', () => {
  itInDeep('deletes all of the partner, in chunks, and no others', async () => {
    const [one, other] = [await openKept(ALL), await openKept(ALL)]
    const refused = await one.api.post('/orders/', badOrder())
    const kept = await other.api.post('/orders/', badOrder())
    const older = Array.from(
      { length: 1001 },
      () => `demo/documents/2026-01-02/${one.id}/${crypto.randomUUID()}`,
    )
    for (let at = 0; at < older.length; at += 50) {
      await Promise.all(older.slice(at, at + 50).map((key) => env.DOCUMENTS.put(key, 'x')))
    }
    const chunk = () => one.admin.delete(`${SETTINGS}/partners/${one.id}/documents/`)
    const [first, second, third] = [await chunk(), await chunk(), await chunk()]
    expect(first.body.data).toEqual({ deleted: 1000, remaining: true })
    expect(second.body.data).toEqual({ deleted: 2, remaining: false })
    expect(third.body.data).toEqual({ deleted: 0, remaining: false })
    expect(await keysWith(one.id)).toEqual([])
    expect(await stateOf(one.admin, refused)).toEqual({ state: 'not_kept', reason: 'deleted' })
    expect((await documentOf(other.admin, kept)).status).toBe(200)
    expect(await stateOf(other.admin, kept)).toMatchObject({ state: 'kept' })
  })

  it('works for a deleted partner, and for nobody who has never been one', async () => {
    const { admin, id, key, api } = await openKept(ALL)
    const refused = await api.post('/orders/', badOrder())
    await admin.delete(`${SETTINGS}/api-keys/${key.id}/`)
    expect((await admin.delete(`${SETTINGS}/partners/${id}/`)).status).toBe(200)
    expect((await documentOf(admin, refused)).status).toBe(200)
    const deleted = await admin.delete(`${SETTINGS}/partners/${id}/documents/`)
    expect(deleted.body.data).toEqual({ deleted: 1, remaining: false })
    const nobody = await admin.delete(`${SETTINGS}/partners/${unique('P')}/documents/`)
    expect(nobody.status).toBe(404)
  })
})

async function failing(): Promise<never> {
  throw new Error('R2 fails with a secret')
}

function unasked(): never {
  throw new Error('R2 was asked')
}
