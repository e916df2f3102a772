import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { connect, newMeter } from '../../src/engine/db/connect.ts'
import { readEvidence } from '../../src/requests/check-up/evidence.ts'
import { insertRequests, type Row } from '../fixtures/audit-rows.ts'
import { inDeepPass } from '../fixtures/depth.ts'
import { openPartner, saveMapping } from '../fixtures/partner.ts'
import { DAY_MS, demo, linesOf } from '../fixtures/retention.ts'
import { openDashboard } from '../fixtures/session.ts'
import { type Json, openAdmin } from '../fixtures/tenant.ts'

const at = (ms: number) => new Date(ms).toISOString()

/** Of the first run of yesterday, which is over at any hour: the overview tells of nothing older than two days. */
const NOW = Date.parse(at(Date.now() - DAY_MS).slice(0, 10)) + 3 * 3_600_000

beforeEach(async () => {
  await demo.exec('delete from check_ups')
})

/** The five last requests of the partner were refused for a field, so long before the run. */
async function refuse(partner_id: string, ms = 60_000): Promise<void> {
  const row: Row = {
    partner_id,
    api_key_id: partner_id,
    method: 'POST',
    status: 400,
    error_code: 'VALIDATION_ERROR',
    message: 'quantity: Must be an integer.',
    error_fields: '\nquantity\n',
  }
  await insertRequests([{ ...row, created_at: at(NOW - ms) }], 5)
}

/** All tenants have their turn, as nobody knows of an earlier run. */
async function checkUps(ms = NOW): Promise<Json> {
  await env.KEYS.delete('check-ups:1')
  const lines = await linesOf(ms, env, '2-59/10 * * * *')
  expect(lines).toMatchObject([{ event: 'partner_check_ups' }])
  return lines[0]
}

async function stored(): Promise<Json[]> {
  const select = 'select partner_id, checked_at, kinds from check_ups order by checked_at'
  return (await demo.prepare(select).all<Json>()).results
}

async function needsOf(scopes?: string[]): Promise<string> {
  const { text } = await (await openDashboard(scopes)).get('/dashboard/')
  return /<ul class="needs">(.*?)<\/ul>/s.exec(text)?.[1] ?? ''
}

describe('the daily cron', () => {
  it('looks at partners that have sent something, and the overview tells what it has found', async () => {
    const [doubted, sound, silent] = [await openPartner(), await openPartner(), await openPartner()]
    await refuse(doubted.id)
    const fine = { partner_id: sound.id, api_key_id: sound.id, created_at: at(NOW - 1000) }
    await insertRequests([fine])
    await refuse(silent.id, 2 * DAY_MS)
    expect(await checkUps()).toMatchObject({
      partners_checked: 2,
      partners_doubted: 1,
      failed: 0,
      unfinished: 0,
    })
    expect(new Map((await stored()).map(({ partner_id, kinds }) => [partner_id, kinds]))).toEqual(
      new Map([
        [doubted.id, '["field_refused"]'],
        [sound.id, '[]'],
      ]),
    )
    expect(await needsOf()).toContain(
      `finding in the check-up of ${doubted.name}: a field that is refused again and again`,
    )
    expect(await needsOf(['settings.audit.read', 'settings.partners.read'])).not.toContain(
      'check-up',
    )
    await saveMapping(await openAdmin(), doubted.id, 'orders', {})
    expect(await needsOf()).not.toContain('check-up')
  })

  it('reads no more for a partner whose documents are kept', async () => {
    const { id } = await openPartner({ mappings: { orders: {} } })
    await demo
      .prepare('update partners set keep_documents = ? where id = ?')
      .bind(JSON.stringify({ of: 'all', days: 7, redact: [] }), id)
      .run()
    const document_until = Math.floor(Date.now() / 86_400_000) + 7
    const kept = { partner_id: id, api_key_id: id, method: 'POST', document_until }
    await insertRequests([{ ...kept, created_at: at(Date.now()) }], 500)
    const rowsRead = async (withDocuments: boolean) => {
      const meter = newMeter()
      const { batch } = connect(demo, meter)
      await readEvidence(batch, { partner_id: id, now: Date.now(), withDocuments })
      return meter.rows_read
    }
    expect((await rowsRead(true)) - (await rowsRead(false))).toBeGreaterThanOrEqual(500)
  })

  it('takes back what it has found when it finds it no more', async () => {
    const { id } = await openPartner()
    await refuse(id, DAY_MS / 2)
    await checkUps()
    await demo.exec('delete from audit_log where error_fields is not null')
    await insertRequests([{ partner_id: id, api_key_id: id, created_at: at(NOW - 1000) }])
    await checkUps(NOW + DAY_MS / 2 + 1)
    expect(await stored()).toEqual([
      { partner_id: id, checked_at: at(NOW + DAY_MS / 2 + 1), kinds: '[]' },
    ])
  })

  it('tells nothing of a partner that was deleted, and does not look at it again', async () => {
    const { id, admin } = await openPartner()
    await refuse(id)
    await checkUps()
    await demo
      .prepare('update api_keys set revoked_at = ? where partner_id = ?')
      .bind(at(NOW), id)
      .run()
    const deleted = await admin.delete(`/api/settings/v1/partners/${id}/`)
    expect(deleted.status).toBe(200)
    expect(await needsOf()).not.toContain('check-up')
    await checkUps(NOW + DAY_MS / 2 + 1)
    expect((await stored()).map(({ checked_at }) => checked_at)).toEqual([at(NOW)])
  })

  inDeepPass(() => {
    it('looks at 50 partners in a day, at those first that were looked at longest ago', async () => {
      await demo
        .prepare(
          `with recursive n (i) as (select 1 union all select i + 1 from n where i < 53)
         insert into partners (id, name, created_at, updated_at) select 'many-' || i, 'many-' || i, '', '' from n`,
        )
        .run()
      const ids = Array.from({ length: 53 }, (_, n) => `many-${n + 1}`)
      await insertRequests(
        ids.map((id) => ({ partner_id: id, api_key_id: id, created_at: at(NOW - 60_000) })),
      )
      await demo.exec(
        `insert into check_ups select id, '2026-01-01', '[]' from partners where id in ('many-1', 'many-2', 'many-3')`,
      )
      expect(await checkUps()).toMatchObject({ partners_checked: 50 })
      const left = (await stored()).filter(({ checked_at }) => checked_at === '2026-01-01')
      expect(left).toHaveLength(3)
      await checkUps(NOW + DAY_MS / 2 + 1)
      const later = (await stored()).filter(({ checked_at }) => checked_at === '2026-01-01')
      expect(later).toEqual([])
      await demo.exec(`update partners set deleted_at = 'then' where id like 'many-%'`)
    })
  })
})
