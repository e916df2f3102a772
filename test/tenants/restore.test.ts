import { DatabaseSync } from 'node:sqlite'
import { beforeEach, describe, expect, it } from 'vitest'
import { Failure } from '../../scripts/failure.ts'
import { type Ask, type Facts, readFacts } from '../../scripts/tenant/restore/facts.ts'
import { changesOf } from '../../scripts/tenant/restore/keys.ts'
import type { Plan } from '../../scripts/tenant/restore/plan.ts'
import { writesSince } from '../../scripts/tenant/restore/requests.ts'
import { isRestored, isSettled, settling } from '../../scripts/tenant/restore/settle.ts'
import { parseTime } from '../../scripts/tenant/restore/source.ts'
import { insertKey, literal } from '../../scripts/tenant/rows.ts'
import { mintKey } from '../../src/engine/identity/key.ts'
import { newTenantSql } from './new-tenant.ts'

const TIME = '2026-11-21T10:30:00.000Z'

let db: DatabaseSync
const ask: Ask = async (statements) => statements.map((sql) => db.prepare(sql).all())

beforeEach(async () => {
  db = new DatabaseSync(':memory:')
  db.exec(await newTenantSql('acme'))
})

const planOf = (before: Facts | null, more: Partial<Plan> = {}): Plan => ({
  id: crypto.randomUUID(),
  tenant: 'acme',
  environment: 'staging',
  source: TIME,
  since: TIME,
  bookmark: 'bookmark',
  undo: null,
  was_on: true,
  before,
  export: null,
  attempted: true,
  result: null,
  finished_at: null,
  ...more,
})

async function factsNow(): Promise<Facts> {
  const facts = await readFacts(ask)
  if (!facts) throw new Error('There are no facts.')
  return facts
}

async function addKey(name: string): Promise<string> {
  db.exec(insertKey(await mintKey('acme'), name, ['integrations.*']))
  return String(db.prepare('SELECT id FROM api_keys WHERE name = ?').get(name)?.id)
}

function logged(request_id: string, created_at: string, more: Record<string, unknown> = {}): void {
  const row = {
    request_id,
    created_at,
    settings_version: 1,
    record_id: 'record',
    api_key_id: 'key',
    api_key_name: 'Shop',
    method: 'POST',
    path: '/api/integrations/v1/orders/',
    status: 201,
    duration_ms: 1,
    ...more,
  }
  const places = Object.keys(row).map(() => '?')
  const insert = `INSERT INTO audit_log (${Object.keys(row)}) VALUES (${places})`
  db.prepare(insert).run(...(Object.values(row) as string[]))
}

const settle = (plan: Plan, before: Facts | null, after: Facts) => {
  const changes = before && changesOf(before.keys, after.keys)
  for (const sql of settling(plan, changes).flat()) db.exec(sql)
}

const one = (sql: string) => db.prepare(sql).get()

describe('the time of a restore', () => {
  it('is within the last 30 days, with its zone', () => {
    const now = new Date('2026-11-23T12:00:00Z')
    expect(parseTime('2026-11-21T12:30+02:00', now)).toBe('2026-11-21T10:30:00.000Z')
    for (const [text, reason] of [
      ['2026-11-21', '--to must be a time such as'],
      ['2026-11-21T10:30:00', '--to must be a time such as'],
      ['2026-13-21T10:30:00Z', '--to must be a time such as'],
      ['2026-11-23T12:00:01Z', '--to must be in the past'],
      ['2026-10-20T12:00:00Z', 'is more than 30 days ago: use a backup'],
    ] as const) {
      expect(() => parseTime(text, now), text).toThrow(reason)
    }
  })
})

describe('a database that was set back', () => {
  it('gives no version again that a lost change had', async () => {
    const id = await addKey('revoked')
    const versionNow = () =>
      Number(db.prepare('SELECT version FROM api_keys WHERE id = ?').get(id)?.version)
    db.exec('SAVEPOINT set_back')
    db.exec(`UPDATE api_keys SET revoked_at = '${TIME}' WHERE name = 'revoked'`)
    const [before, lost] = [await factsNow(), versionNow()]
    db.exec('ROLLBACK TO set_back')
    const changes = changesOf(before.keys, (await factsNow()).keys)
    for (const batch of settling(planOf(before), changes)) for (const sql of batch) db.exec(sql)
    expect(changes.revoked_again).toHaveLength(1)
    expect(versionNow()).toBeGreaterThan(lost)
  })

  it('ends keys as they had ended, and no others', async () => {
    const [revoked, overlapping, alive] = [
      await addKey('revoked'),
      await addKey('overlapping'),
      await addKey('alive'),
    ]
    const after = await factsNow()
    db.exec('BEGIN')
    db.exec(`UPDATE api_keys SET revoked_at = '${TIME}' WHERE id = ${literal(revoked)}`)
    db.exec(`UPDATE api_keys SET expires_at = '${TIME}' WHERE id = ${literal(overlapping)}`)
    db.exec(`UPDATE api_keys SET name = 'Alive' WHERE id = ${literal(alive)}`)
    const made = await addKey('made')
    const before = await factsNow()
    db.exec('ROLLBACK')

    expect(before.keys.every((key) => !('hash' in key))).toBe(true)
    expect(changesOf(before.keys, after.keys)).toMatchObject({
      revoked_again: [{ id: revoked }],
      shortened_again: [{ id: overlapping }],
      gone: [{ id: made }],
      changed_back: [{ id: alive, name: 'Alive', fields: ['name'] }],
    })
    settle(planOf(before), before, after)
    expect(
      db.prepare('SELECT id, revoked_at, expires_at FROM api_keys ORDER BY seq').all(),
    ).toEqual([
      { id: revoked, revoked_at: TIME, expires_at: null },
      { id: overlapping, revoked_at: null, expires_at: TIME },
      { id: alive, revoked_at: null, expires_at: null },
    ])
  })

  it('gives no settings version and no seq twice', async () => {
    const after = await factsNow()
    const before = {
      ...after,
      settings_version: 4_000_000_000,
      log_seq: 500,
      sequences: { orders: 70, products: 1 },
    }
    db.exec("INSERT INTO sqlite_sequence (name, seq) VALUES ('products', 9)")
    settle(planOf(before), before, after)
    expect(one('SELECT settings_version AS v FROM workspace')?.v).toBe(4_000_000_002)
    expect(one('SELECT max(seq) AS seq FROM audit_log')?.seq).toBeGreaterThan(500)
    expect(one('SELECT method, settings_version, api_key_name FROM audit_log')).toEqual({
      method: 'RESTORE',
      settings_version: 4_000_000_002,
      api_key_name: 'Operator',
    })
    const sequences = "SELECT name, seq FROM sqlite_sequence WHERE name IN ('orders', 'products')"
    expect(db.prepare(`${sequences} ORDER BY name`).all()).toEqual([
      { name: 'orders', seq: 70 },
      { name: 'products', seq: 9 },
    ])
  })

  it('is on as it was then, and off if it was off before or its keys are not known', async () => {
    const isOn = () => one('SELECT integration_enabled AS it FROM workspace')?.it === 1
    const facts = await factsNow()
    settle(planOf(facts, { was_on: true }), facts, facts)
    expect(isOn()).toBe(true)
    settle(planOf(facts, { was_on: false }), facts, facts)
    expect(isOn()).toBe(false)
    db.exec('UPDATE workspace SET integration_enabled = 1')
    settle(planOf(null, { was_on: null }), null, facts)
    expect(isOn()).toBe(false)
  })

  it('is settled once, however often that is repeated', async () => {
    const facts = await factsNow()
    const plan = planOf(facts)
    expect(await isSettled(ask, plan)).toBe(false)
    settle(plan, facts, facts)
    settle(plan, facts, facts)
    expect(await isSettled(ask, plan)).toBe(true)
    expect(one('SELECT count(*) AS n FROM audit_log')?.n).toBe(1)
  })

  it('is told from one that was only made ready, by its settings version', async () => {
    const then = await factsNow()
    db.exec('UPDATE workspace SET integration_enabled = 0')
    const before = await factsNow()
    expect(isRestored(planOf(before), before)).toBe(false)
    db.exec("UPDATE workspace SET name = 'changed meanwhile'")
    expect(isRestored(planOf(before), await factsNow())).toBe(false)
    expect(isRestored(planOf(before), then)).toBe(true)
    expect(isRestored(planOf(before), null)).toBe(false)
    expect(isRestored(planOf(null), then)).toBe(true)
  })

  it('has no facts if it is damaged, and is not taken for damaged if it cannot be reached', async () => {
    db.exec('ALTER TABLE api_keys RENAME TO lost')
    const asWrangler: Ask = (statements) =>
      ask(statements).catch((error) => Promise.reject(new Failure(`d1 execute: ${error.message}`)))
    expect(await readFacts(asWrangler)).toBeNull()
    const silent = new Failure('wrangler d1 execute: An unknown error has occurred [code: 10013]')
    await expect(readFacts(() => Promise.reject(silent))).rejects.toBe(silent)
  })
})

describe('the requests that a restore undoes', () => {
  it('are those that changed something, over all pages of the log', async () => {
    db.exec('BEGIN')
    logged('long ago', '2026-11-21T10:00:00.000Z')
    for (let i = 0; i < 10_050; i++) {
      logged(`read ${i}`, '2026-11-21T10:40:00.000Z', { method: 'GET', status: 200 })
    }
    logged('first', '2026-11-21T10:40:00.000Z', { document_until: 1, record_name: 'SO-1' })
    logged('refused', '2026-11-21T10:41:00.000Z', { status: 422 })
    for (let i = 0; i < 10_050; i++) logged(`write ${i}`, '2026-11-21T10:42:00.000Z')
    db.exec('COMMIT')
    const writes = await writesSince(ask, 'acme', TIME)
    expect(writes).toHaveLength(10_051)
    expect(writes[0]).toEqual({
      request_id: 'first',
      created_at: '2026-11-21T10:40:00.000Z',
      method: 'POST',
      path: '/api/integrations/v1/orders/',
      status: 201,
      record_id: 'record',
      record_name: 'SO-1',
      api_key: 'Shop',
      partner: null,
      document: 'acme/documents/2026-11-21/-/first',
    })
  })

  it('include one that was slow to be stored', async () => {
    db = new DatabaseSync(':memory:')
    db.exec(await newTenantSql('acme'))
    logged('slow', '2026-11-21T10:25:00.000Z')
    logged('old', '2026-11-21T10:10:00.000Z')
    expect(await writesSince(ask, 'acme', TIME)).toMatchObject([
      { request_id: 'slow', record_name: null, document: null },
    ])
  })
})
