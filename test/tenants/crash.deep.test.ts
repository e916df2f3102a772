import { rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import type { Journal, Kind, Write } from '../crash/journal.ts'
import { databaseFile } from '../crash/snapshot.ts'
import { summaryOf } from '../crash/summary.ts'
import { RUN_MS_MAX, run, SEED } from './crashing.ts'

describe('npm run test:crash', () => {
  it('finds everything as it was answered, whatever of npm start is killed', {
    timeout: RUN_MS_MAX,
  }, async () => {
    const outcome = await run(2, SEED)
    expect(outcome.problems).toEqual([])
    expect(outcome).toMatchObject({ kills: 2, startsMs: { length: 3 } })
    const { journal } = outcome
    for (const kind of ['order', 'stock', 'product', 'location'] satisfies Kind[]) {
      expect(landed(journal, kind)).not.toEqual([])
    }
    expect(outcome.auditRows).toBeGreaterThan(journal.landed())
    expect(summaryOf(outcome, SEED, 0)).toMatch(/^verdict +all held$/m)
  })

  it('names what is lost, in half or doubled, of a database that was spoiled', {
    timeout: RUN_MS_MAX,
  }, async () => {
    const spoilt: Record<string, Write> = {}
    const outcome = await run(1, 'spoiled', (folder, journal) => {
      const [order, product, location] = [
        landed(journal, 'order')[0]!,
        landed(journal, 'product')[0]!,
        landed(journal, 'location')[0]!,
      ]
      const stock = landed(journal, 'stock')[0]!
      Object.assign(spoilt, { order, product, location, stock })
      const db = new DatabaseSync(databaseFile(folder))
      const of = { number: order.thing.key }
      db.prepare(
        'delete from order_items where order_id = (select id from orders where order_number = :number)',
      ).run(of)
      db.prepare('delete from orders where order_number = :number').run(of)
      db.prepare('update inventory set quantity = 0 where location_code = ? and sku_code = ?').run(
        stock.thing.pairs!.locations[0]!,
        stock.thing.pairs!.skus[0]!,
      )
      db.prepare('delete from audit_log where request_id = ?').run(product.requestId)
      db.prepare(
        `insert into audit_log (request_id, created_at, settings_version, record_id, api_key_id,
           api_key_name, method, path, status, duration_ms)
         select 'doubled', created_at, settings_version, record_id, api_key_id,
           api_key_name, method, path, status, duration_ms from audit_log where request_id = ?`,
      ).run(location.requestId)
      db.close()
    })
    await rm(dirname(outcome.folder), { recursive: true })
    const { order, product, location, stock } = spoilt
    const named = [
      `order ${order?.thing.key}: must be `,
      `stock ${stock?.thing.key}: must be `,
      `(product ${product?.thing.key}, request ${product?.requestId}): took effect but has no audit row`,
      `request doubled (POST /api/integrations/v1/locations/, 201, record ${location?.thing.id}): no write had this effect`,
    ]
    expect(outcome.problems).toEqual(
      expect.arrayContaining(named.map((text) => expect.stringContaining(text))),
    )
    expect(summaryOf(outcome, 'spoiled', 0)).toMatch(/^verdict +\d+ WRONG$/m)
  })
})

function landed({ writes }: Journal, kind: Kind): Write[] {
  return writes.filter((write) => write.landed && write.thing.kind === kind)
}
