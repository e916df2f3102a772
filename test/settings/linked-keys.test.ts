import { beforeAll, describe, expect, it } from 'vitest'
import { sample } from '../fixtures/depth.ts'
import { badOrder, documentOf, idOf, openKept } from '../fixtures/kept-documents.ts'
import { openPartner } from '../fixtures/partner.ts'
import { expectRefusal } from '../fixtures/refusal.ts'
import { type Api, AUDIT, addPartner, findKey, issueKey, KEYS } from '../fixtures/settings.ts'
import { type Answer, client, type Json, openAdmin, unique } from '../fixtures/tenant.ts'

// A key that is linked to a partner grants only to keys of its partner: other keys may do what its link takes from it.

let admin: Api

beforeAll(async () => {
  admin = await openAdmin()
})

const SCOPES = ['settings.*', 'integrations.*']
const nameOnly = { name: 'x', scopes: ['integrations.orders.read'] }

/** A linked key that may write keys, another key of its partner, and keys of another partner and of none. */
async function openLinked() {
  const { id: partner_id, api, key } = await openPartner({ scopes: SCOPES })
  const { id: otherPartner } = await addPartner()
  const sibling = (await issueKey(admin, { partner_id })).id
  const foreign = (await issueKey(admin, { partner_id: otherPartner })).id
  const free = (await issueKey(admin)).id
  return { partner_id, otherPartner, api, own: key.id, sibling, foreign, free }
}

type Linked = Awaited<ReturnType<typeof openLinked>>

const put = ({ api }: Linked, id: string, fields: Json) => api.put(`${KEYS}${id}/`, fields)
const rotate = ({ api }: Linked, id: string) => api.post(`${KEYS}${id}/rotate/`, {})

describe('a linked key that may write keys', () => {
  it.each(
    sample<[what: string, ask: (linked: Linked) => Promise<Answer>]>(
      [
        ['create a key without a partner', ({ api }) => api.post(KEYS, nameOnly)],
        ['create one in a dry run', ({ api }) => api.post(`${KEYS}?dry_run=true`, nameOnly)],
        [
          'create a key of another partner',
          ({ api, otherPartner }) => api.post(KEYS, { ...nameOnly, partner_id: otherPartner }),
        ],
        ['unlink itself', (linked) => put(linked, linked.own, { partner_id: null })],
        [
          'link itself to another partner',
          (linked) => put(linked, linked.own, { partner_id: linked.otherPartner }),
        ],
        ['unlink another key', (linked) => put(linked, linked.sibling, { partner_id: null })],
        [
          'change a key without a partner',
          (linked) => put(linked, linked.free, { scopes: SCOPES }),
        ],
        [
          'change a key of another partner',
          (linked) => put(linked, linked.foreign, { rate_limit: null }),
        ],
        ['rotate a key without a partner', (linked) => rotate(linked, linked.free)],
        ['rotate a key of another partner', (linked) => rotate(linked, linked.foreign)],
      ],
      4,
    ),
  )('cannot %s', async (_, ask) => {
    const linked = await openLinked()
    const before = await keysOf(linked)
    expectRefusal(
      await ask(linked),
      403,
      'SCOPE_MISSING',
      `This API key is linked to a partner: it can create, change and rotate only keys with the partner_id "${linked.partner_id}". For other keys, use a key without a partner.`,
    )
    expect(await keysOf(linked)).toEqual(before)
  })

  it('creates, changes and rotates keys of its partner', async () => {
    const linked = await openLinked()
    const { api, partner_id, sibling, own } = linked
    const created = await api.post(KEYS, { ...nameOnly, partner_id })
    expect([created.status, created.body.data.partner_id]).toEqual([201, partner_id])
    expect((await put(linked, sibling, { rate_limit: 5, partner_id })).status).toBe(200)
    expect((await put(linked, own, { rate_limit: 50 })).status).toBe(200)
    const rotated = await rotate(linked, own)
    expect([rotated.status, rotated.body.data.partner_id]).toEqual([201, partner_id])
  })

  it('links another key to its partner: what counts is what the key may do afterwards', async () => {
    const linked = await openLinked()
    const { partner_id, free } = linked
    expect((await put(linked, free, { partner_id })).body.data.partner_id).toBe(partner_id)
  })

  it('renames and revokes any key', async () => {
    const linked = await openLinked()
    expect((await put(linked, linked.free, { name: unique('key') })).status).toBe(200)
    expect((await linked.api.delete(`${KEYS}${linked.foreign}/`)).status).toBe(200)
  })
})

describe('P12: GET …/audit-log/{request_id}/document/', () => {
  it('is 403 for a linked key and for every key that it makes', async () => {
    const partner = await openKept({ of: 'all', days: 1 })
    const sent = await partner.api.post('/orders/', badOrder())
    expect((await documentOf(partner.admin, sent)).status).toBe(200)
    const { key } = await issueKey(admin, { partner_id: partner.id, scopes: SCOPES })
    const made = await issueKey(client(key), { partner_id: partner.id, scopes: SCOPES })
    for (const value of [key, made.key]) {
      expectRefusal(
        await client(value).get(`${AUDIT}${idOf(sent)}/document/`),
        403,
        'SCOPE_MISSING',
        'A key that is linked to a partner cannot read documents, delete them, or send them in the place of a partner: use a key without a partner.',
      )
    }
  })
})

/** Without the time of their last use. */
async function keysOf({ own, sibling, foreign, free }: Linked): Promise<Json[]> {
  const keys = await Promise.all([own, sibling, foreign, free].map((id) => findKey(admin, id)))
  return keys.map(({ last_used_at, ...key }) => key)
}
