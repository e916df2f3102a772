import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { sample } from '../fixtures/depth.ts'
import { openPartner } from '../fixtures/partner.ts'
import { client, createKey, openTenant, outdateCallers } from '../fixtures/tenant.ts'
import { openWebhook } from '../fixtures/webhooks.ts'

// P3 (docs/ARCHITECTURE.md): a caller is looked up again exactly when something that it rests on has changed,
// whoever changed it. Changes of other callers' settings do not concern it.

type Partner = Awaited<ReturnType<typeof openPartner>>
type Change = [sql: string, ...values: (string | null)[]]

const run = (...[sql, ...values]: Change) =>
  db
    .prepare(sql)
    .bind(...values)
    .run()

/** The round trips of the partner's next request, in an isolate that has just answered one. */
async function tripsAfter(partner: Partner, change: () => Promise<unknown>): Promise<string> {
  await partner.api.get('/orders/')
  await change()
  const { status, headers } = await partner.api.get('/orders/')
  expect(status).toBe(200)
  return /round trips (\d+)/.exec(headers.get('Server-Timing') ?? '')?.[1] ?? ''
}

const KEEP_IN_WORKSPACE = 'update workspace set keep_documents = ?'

const MAPPED = { orders: { inbound: { fields: { notes: 'remark' } } } }

/** A pause that holds nothing back. */
const OVER = '{"until":"2026-01-01T00:00:00.000Z","note":null}'

const CONCERNING: [string, (partner: Partner) => Promise<unknown>][] = [
  ['its name', ({ key }) => run("update api_keys set name = 'x' where id = ?", key.id)],
  [
    'its scopes',
    ({ key }) => run('update api_keys set scopes = \'["integrations.*"]\' where id = ?', key.id),
  ],
  ['its expiry', ({ key }) => run("update api_keys set expires_at = '2999' where id = ?", key.id)],
  ['its rate limit', ({ key }) => run('update api_keys set rate_limit = 9 where id = ?', key.id)],
  ['its pause', ({ key }) => run('update api_keys set pause = ? where id = ?', OVER, key.id)],
  ['its orders', ({ key }) => run('update api_keys set own_orders_only = 1 where id = ?', key.id)],
  ['its partner', ({ key }) => run('update api_keys set partner_id = null where id = ?', key.id)],
  ["the partner's name", ({ id }) => run('update partners set name = id where id = ?', id)],
  [
    "the partner's default identifier",
    ({ id }) => run("update partners set default_identifier_field = 'id' where id = ?", id),
  ],
  [
    'what is kept of its documents',
    ({ id }) => run(`update partners set keep_documents = '{"of":"all"}' where id = ?`, id),
  ],
  ["the partner's pause", ({ id }) => run('update partners set pause = ? where id = ?', OVER, id)],
  ['the pause of all', () => run('update workspace set pause = ?', OVER)],
  ["the partner's end", ({ id }) => run("update partners set deleted_at = 'now' where id = ?", id)],
  [
    'a new mapping',
    ({ id }) =>
      run("insert into field_mappings values (?, 'products', null, null, '{}', '', 1)", id),
  ],
  [
    'a mapping',
    ({ id }) => run("update field_mappings set updated_at = '' where partner_id = ?", id),
  ],
  [
    'a mapping that is deleted',
    ({ id }) => run('delete from field_mappings where partner_id = ?', id),
  ],
  ['the switch of the integration', () => outdateCallers()],
  [
    'a leap of the version',
    () => run('update workspace set settings_version = settings_version + 2'),
  ],
]

const db = await openTenant()

describe('a key of a partner is looked up anew after a change of', () => {
  it.each(sample(CONCERNING, 8))('%s', async (_, change) => {
    const partner = await openPartner({ mappings: MAPPED })
    expect(await tripsAfter(partner, () => change(partner))).toBe('3')
  })

  it("a mapping that was another partner's", async () => {
    const [partner, other] = [await openPartner(), await openPartner({ mappings: MAPPED })]
    const move = () =>
      run('update field_mappings set partner_id = ? where partner_id = ?', partner.id, other.id)
    expect(await tripsAfter(partner, move)).toBe('3')
    const back = () =>
      run('update field_mappings set partner_id = ? where partner_id = ?', other.id, partner.id)
    expect(await tripsAfter(partner, back)).toBe('3')
  })

  it('its partner, which was deleted, and is back', async () => {
    const partner = await openPartner()
    await run("update partners set deleted_at = 'now' where id = ?", partner.id)
    const revive = () => run('update partners set deleted_at = null where id = ?', partner.id)
    expect(await tripsAfter(partner, revive)).toBe('3')
  })
})

const OTHERS: [string, (other: Partner) => Promise<unknown>][] = [
  ['the name of the workspace', () => run("update workspace set name = 'x'")],
  [
    'the days of the audit log in the database',
    () => run('update workspace set audit_hot_days = 31'),
  ],
  ['the retention of the audit log', () => run('update workspace set audit_retention_days = 30')],
  ['what the workspace keeps of documents', () => run(KEEP_IN_WORKSPACE, '{"of":"all"}')],
  ['the switch, which stays as it is', () => run('update workspace set integration_enabled = 1')],
  ['a new key', () => createKey()],
  ['another key', ({ key }) => run("update api_keys set name = 'x' where id = ?", key.id)],
  [
    'a new partner',
    () =>
      run(
        "insert into partners (id, name, created_at, updated_at) values (?1, ?1, '', '')",
        crypto.randomUUID(),
      ),
  ],
  ['another partner', ({ id }) => run('update partners set name = id where id = ?', id)],
  [
    "another partner's mapping",
    ({ id }) => run("update field_mappings set updated_at = '' where partner_id = ?", id),
  ],
]

describe('a key of a partner is not looked up anew after a change of', () => {
  it.each(sample(OTHERS, 6))('%s', async (_, change) => {
    const [partner, other] = [
      await openPartner({ mappings: MAPPED }),
      await openPartner({ mappings: MAPPED }),
    ]
    const before = await db.prepare('select settings_version from workspace').first()
    expect(await tripsAfter(partner, () => change(other))).toBe('1')
    expect(await db.prepare('select settings_version from workspace').first()).not.toEqual(before)
  })

  it('anything else, by one comparison once it has been told so', async () => {
    const { value } = await createKey()
    const api = client(value)
    const rowsRead = async () =>
      /rows read (\d+)/.exec(
        (await api.get('/locations/?limit=1')).headers.get('Server-Timing') ?? '',
      )?.[1]
    await rowsRead()
    const usual = await rowsRead()
    await createKey()
    expect(Number(await rowsRead())).toBeGreaterThan(Number(usual))
    expect(await rowsRead()).toBe(usual)
  })

  it('anything else, when it writes, and then by one comparison', async () => {
    const { value } = await createKey()
    const api = client(value)
    const [code] = [crypto.randomUUID()]
    await api.post('/locations/', { code })
    const rowsRead = async (zone: string) =>
      /rows read (\d+)/.exec(
        (await api.put(`/locations/${code}/`, { zone })).headers.get('Server-Timing') ?? '',
      )?.[1]
    const usual = await rowsRead('a')
    await createKey()
    expect(Number(await rowsRead('b'))).toBeGreaterThan(Number(usual))
    expect(await rowsRead('c')).toBe(usual)
  })
})

describe('a key without a partner', () => {
  it('is looked up anew after a change of what the workspace keeps of documents', async () => {
    const api = client((await createKey()).value)
    const keep = (policy: string | null) => run(KEEP_IN_WORKSPACE, policy)
    await keep(null)
    const without = { api } as Partner
    expect(await tripsAfter(without, () => keep('{"of":"all"}'))).toBe('3')
    expect(await tripsAfter(without, () => keep('{"of":"all"}'))).toBe('1')
    expect(await tripsAfter(without, () => keep(null))).toBe('3')
  })

  it('is not, after a change of what a partner keeps', async () => {
    const { id } = await openPartner()
    const api = client((await createKey()).value)
    const keep = () => run("update partners set keep_documents = '{}' where id = ?", id)
    expect(await tripsAfter({ api } as Partner, keep)).toBe('1')
  })
})

describe('a row that an operator deletes', () => {
  it('is not served any more if it is a key', async () => {
    const { id, value } = await createKey()
    const api = client(value)
    expect((await api.get('/orders/')).status).toBe(200)
    await run('delete from api_keys where id = ?', id)
    const { status, body } = await api.get('/orders/')
    expect([status, body.error.code]).toEqual([401, 'KEY_INVALID'])
  })

  it('is noted as changed if it is a partner', async () => {
    const { id, key } = await openPartner()
    await run('delete from api_keys where id = ?', key.id)
    await run('delete from partners where id = ?', id)
    const noted = await db
      .prepare('select settings_version from settings_changes where subject = ?')
      .bind(id)
      .first()
    expect(noted).toEqual(await db.prepare('select settings_version from workspace').first())
  })
})

describe('a key that a cache has and the database does not', () => {
  it('is not served, although the database counts on from an older version', async () => {
    const { id, value } = await createKey()
    const api = client(value)
    expect((await api.get('/orders/')).status).toBe(200)
    await run('delete from api_keys where id = ?', id)
    await run('delete from settings_changes where subject = ?', id)
    const { status, body } = await api.get('/orders/')
    expect([status, body.error.code]).toEqual([401, 'KEY_INVALID'])
  })
})

describe('what was looked up in a later life of the database', () => {
  it('is not current in the restored one', async () => {
    const partner = await openPartner()
    const restore = () =>
      env.DB_DEMO.prepare('update workspace set settings_version = settings_version - 1').run()
    expect(await tripsAfter(partner, restore)).toBe('3')
  })
})

type Shop = Awaited<ReturnType<typeof openWebhook>>

const OF_WEBHOOK: [string, (shop: Shop) => Change][] = [
  ['its rules', ({ id }) => ['update api_keys set webhook = webhook where id = ?', id]],
  [
    'its secrets',
    ({ id }) => ['update api_keys set webhook_secrets = webhook_secrets where id = ?', id],
  ],
  ['its pause', ({ id }) => ['update api_keys set pause = ? where id = ?', OVER, id]],
  [
    "its partner's mapping",
    ({ partner }) => ["update field_mappings set updated_at = '' where partner_id = ?", partner.id],
  ],
]

describe('a webhook is looked up anew after a change of', () => {
  /** The round trips of a further delivery to the first shop. */
  async function tripsOf({ deliver }: Shop, change: Change): Promise<string> {
    // It is skipped, which takes one.
    const skipped = () => deliver({ status: 'draft' })
    await skipped()
    await run(...change)
    const { status, headers } = await skipped()
    expect(status).toBe(200)
    return /round trips (\d+)/.exec(headers.get('Server-Timing') ?? '')?.[1] ?? ''
  }

  it.each(OF_WEBHOOK)('%s, and not of that of another one', async (_, changeOf) => {
    const [shop, other] = [await openWebhook(), await openWebhook()]
    expect(await tripsOf(shop, changeOf(shop))).toBe('3')
    expect(await tripsOf(shop, changeOf(other))).toBe('1')
  })

  it('a key of the same partner is not concerned', async () => {
    const shop = await openWebhook()
    const [, changeOf] = OF_WEBHOOK[0] ?? []
    const change = () => run(...(changeOf?.(shop) ?? ['']))
    expect(await tripsAfter(shop.partner, change)).toBe('1')
  })
})
