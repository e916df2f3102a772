import { beforeAll, describe, expect, it } from 'vitest'
import {
  type Api,
  AUDIT,
  findKey,
  inSeconds,
  issueKey,
  KEYS,
  WORKSPACE,
} from '../fixtures/settings.ts'
import {
  type Answer,
  client,
  createKey,
  openAdmin,
  openTenant,
  unique,
} from '../fixtures/tenant.ts'

// "Every change raises workspace.settings_version in its own transaction." What it is for is in
// test/promises/settings-hold.test.ts.

let db: D1Database
let admin: Api

beforeAll(async () => {
  db = await openTenant()
  admin = await openAdmin()
})

const version = async () =>
  (await db.prepare('select settings_version from workspace').first('settings_version')) as number

/** How far the request raises the version of what it found. */
async function raiseOf(prepare: () => Promise<string>, request: (id: string) => Promise<Answer>) {
  const id = await prepare()
  const before = await version()
  const { status } = await request(id)
  return { status, raise: (await version()) - before }
}

const newKey = async () => (await issueKey(admin)).id as string

const CHANGES: [string, (id: string) => Promise<Answer>][] = [
  ['a key is made', () => admin.post(KEYS, { name: 'x' })],
  ["a key's name is changed", (id) => admin.put(`${KEYS}${id}/`, { name: unique('x') })],
  ["a key's scopes are changed", (id) => admin.put(`${KEYS}${id}/`, { scopes: ['settings.read'] })],
  ['a key is given an end', (id) => admin.put(`${KEYS}${id}/`, { expires_at: inSeconds(60) })],
  ['a key is rotated', (id) => admin.post(`${KEYS}${id}/rotate/`)],
  [
    'a key is rotated with overlap',
    (id) => admin.post(`${KEYS}${id}/rotate/`, { overlap_seconds: 60 }),
  ],
  ['a key is revoked', (id) => admin.delete(`${KEYS}${id}/`)],
  ['the workspace is renamed', () => admin.put(WORKSPACE, { name: unique('x') })],
  [
    'another retention of the audit log is set',
    () => admin.put(WORKSPACE, { audit_retention_days: 30 }),
  ],
  ['the archive begins earlier', () => admin.put(WORKSPACE, { audit_hot_days: 20 })],
  [
    'the integration is switched on',
    () => admin.put(WORKSPACE, { integration_enabled: true, name: unique('x') }),
  ],
  ['documents are kept', () => admin.put(WORKSPACE, { keep_documents: { of: 'all', days: 1 } })],
  ['documents are kept no longer', () => admin.put(WORKSPACE, { keep_documents: null })],
]

const OTHERS: [string, number, (id: string) => Promise<Answer>][] = [
  ['the workspace is read', 200, () => admin.get(WORKSPACE)],
  ['keys are listed', 200, () => admin.get(KEYS)],
  ['a key is read', 200, (id) => admin.get(`${KEYS}${id}/`)],
  ['the audit log is read', 200, () => admin.get(AUDIT)],
  ['orders are listed', 200, () => admin.get('/orders/')],
  ['a product is made', 201, () => admin.post('/products/', { sku: unique('S') })],
  ['a key is refused', 400, () => admin.post(KEYS, { name: 'x', scopes: ['*'] })],
  ['its partner is unknown', 400, () => admin.post(KEYS, { name: 'x', partner_id: 'x' })],
  ['a change of a key is refused', 400, (id) => admin.put(`${KEYS}${id}/`, { name: '' })],
  ['an unknown key is changed', 404, () => admin.put(`${KEYS}x/`, { name: 'x' })],
  ['an unknown key is revoked', 404, () => admin.delete(`${KEYS}x/`)],
  ['an unknown key is rotated', 404, () => admin.post(`${KEYS}x/rotate/`)],
  ['a change of the workspace is refused', 400, () => admin.put(WORKSPACE, { name: '' })],
  [
    'a retention out of range is refused',
    400,
    () => admin.put(WORKSPACE, { audit_retention_days: 0 }),
  ],
  ['a change names no field', 200, (id) => admin.put(`${KEYS}${id}/`, {})],
  ['a change of the workspace names no field', 200, () => admin.put(WORKSPACE, {})],
]

describe('settings_version', () => {
  it.each(CHANGES)('goes up when %s', async (_, request) => {
    const { status, raise } = await raiseOf(newKey, request)
    expect([200, 201]).toContain(status)
    expect(raise).toBeGreaterThanOrEqual(1)
  })

  it.each(OTHERS)('stays when %s', async (_, expected, request) => {
    expect(await raiseOf(newKey, request)).toEqual({ status: expected, raise: 0 })
  })

  it('stays when a key without the scope asks for a change', async () => {
    const { value } = await createKey(['settings.read'])
    const outcome = await raiseOf(newKey, (id) => client(value).delete(`${KEYS}${id}/`))
    expect(outcome).toEqual({ status: 403, raise: 0 })
  })

  it('stays when a revoked key is revoked again', async () => {
    const revoked = async () => {
      const id = await newKey()
      await admin.delete(`${KEYS}${id}/`)
      return id
    }
    const outcome = await raiseOf(revoked, (id) => admin.delete(`${KEYS}${id}/`))
    expect(outcome).toEqual({ status: 200, raise: 0 })
  })

  it('is told by the workspace as the database has it, before and after a change', async () => {
    const told = async () => (await admin.get(WORKSPACE)).body.data.settings_version
    expect(await told()).toBe(await version())
    const { body } = await admin.put(WORKSPACE, { name: unique('x') })
    expect(body.data.settings_version).toBe(await version())
    expect(await findKey(admin, await newKey())).toBeDefined()
    expect(await told()).toBe(await version())
  })
})
