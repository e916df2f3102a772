import { execFile } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import type { Journal, Kind, Write } from '../../faults/crash/journal.ts'
import { planOf } from '../../faults/crash/plan.ts'
import { Random } from '../../faults/crash/random.ts'
import { runCrashes } from '../../faults/crash/run.ts'
import { databaseFile } from '../../faults/crash/snapshot.ts'
import { summaryOf } from '../../faults/crash/summary.ts'

const RUN_MS_MAX = 240_000
// Kills everything after a second, and the worker alone after one and a half.
const SEED = 'quick'

async function run(
  kills: number,
  seed: string,
  spoil?: (folder: string, journal: Journal) => void,
) {
  const life = AbortSignal.timeout(RUN_MS_MAX)
  return await runCrashes({ kills, seed, life, say: console.log, ...(spoil && { spoil }) })
}

describe('npm run test:crash', () => {
  it.each([
    { args: ['--help'], code: 0, stdout: '--kills <n>', stderr: '' },
    { args: ['--kills', '0'], code: 2, stdout: '', stderr: '--kills must be a number from 1' },
    { args: ['--seed', 'a b'], code: 2, stdout: '', stderr: '--seed must be up to 40' },
    { args: ['--fast'], code: 2, stdout: '', stderr: "Unknown option '--fast'" },
  ])('answers $args', async ({ args, ...expected }) => {
    const program = ['scripts/crossdock.ts', 'crash', ...args]
    const ended = await new Promise<object>((resolve) => {
      execFile(process.execPath, program, (error, stdout, stderr) => {
        resolve({ code: error ? error.code : 0, stdout, stderr })
      })
    })
    expect(ended).toEqual({
      code: expected.code,
      stdout: expect.stringContaining(expected.stdout),
      stderr: expect.stringContaining(expected.stderr),
    })
  })

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
      `(product ${product?.thing.key}, request ${product?.requestId}): took effect, and has no audit row`,
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

describe('the plan of a crash', () => {
  it('follows from the seed', () => {
    const plan = (seed: string) => JSON.stringify(planOf(new Random(seed), 20))
    expect(plan('a')).toBe(plan('a'))
    expect(plan('a')).not.toBe(plan('b'))
  })

  it('kills the whole and a part even where it is short', () => {
    const plan = planOf(new Random(SEED), 2)
    expect(plan.map(({ target }) => target).sort()).toEqual(['all', 'worker'])
  })

  it('kills of twenty times some while it starts, and some in part', () => {
    const plan = planOf(new Random('a'), 20)
    expect(plan).toHaveLength(20)
    expect(plan.filter(({ during }) => during === 'start').length).toBeGreaterThan(1)
    const targets = new Set(plan.map(({ target }) => target))
    expect([...targets].sort()).toEqual(['all', 'parent', 'proxy', 'worker'])
    const moments = plan.map(({ afterMs }) => afterMs)
    expect(new Set(moments).size).toBeGreaterThan(15)
    expect(Math.max(...moments)).toBeLessThanOrEqual(4000)
  })
})
