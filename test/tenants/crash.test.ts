import { execFile } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { type Intent, Journal, type Kind, type State, type Thing } from '../crash/journal.ts'
import { planOf } from '../crash/plan.ts'
import { Random } from '../crash/random.ts'
import type { AuditRow, Snapshot } from '../crash/snapshot.ts'
import { verify } from '../crash/verify.ts'
import { SEED } from './crashing.ts'

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
})

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

const PAIRS = { locations: ['L1', 'L2'], skus: ['S1', 'S2'] }
const OLD = { notes: 'Turn 1', items: ['S1 2', 'S2 1'] }
const NEW = { ...OLD, notes: 'Turn 2' }

/** What one client knows, and the database that fits it: order O1, two uploads of the same stock. */
function kept() {
  const journal = new Journal()
  const order = journal.newThing('order', 'O1')
  const stock = journal.newThing('stock', 'S', PAIRS)
  send(journal, order, creation('order', OLD), 201)
  order.id = 'id-O1'
  send(journal, stock, upload(1, 4), 200)
  send(journal, stock, upload(2, 0), 200)
  const snapshot: Snapshot = {
    damage: [],
    records: [{ kind: 'order', key: 'O1', id: 'id-O1', state: OLD }],
    stock: rowsWith([2, 2, 2, 2]),
    audit: [
      auditRow('request-1', 'POST', 'orders/', 201, 'id-O1'),
      uploadRow('request-2', 1, 4),
      uploadRow('request-3', 2, 0),
    ],
  }
  return { journal, order, stock, snapshot }
}

/** The answer's status; none: nobody has heard one. */
function send(journal: Journal, thing: Thing, intent: Intent, status?: number) {
  const write = journal.begin(thing, intent)
  const requestId = `request-${journal.writes.length}`
  journal.settle(write, status === undefined ? null : { status, requestId })
  return write
}

function creation(kind: Kind, wanted: State): Intent {
  return { method: 'POST', path: `${kind}s/`, body: {}, expected: 201, wanted }
}

function change(wanted: State): Intent {
  return { method: 'PUT', path: 'orders/O1/', body: {}, expected: 200, wanted }
}

function upload(turn: number, created: number): Intent {
  const wanted = { rows: 4, quantities: [turn] }
  const counts = { notes: `upload ${turn}`, total: 4, created, failed: 0 }
  return { method: 'POST', path: 'inventory/', body: {}, expected: 200, wanted, upload: counts }
}

function rowsWith(quantities: number[]) {
  const pairs = PAIRS.locations.flatMap((location_code) =>
    PAIRS.skus.map((sku_code) => ({ location_code, sku_code })),
  )
  return quantities.map((quantity, n) => ({ ...pairs[n]!, quantity }))
}

function auditRow(request_id: string, method: string, path: string, status: number, id: string) {
  const upload = { notes: null, rows_total: null, rows_created: null, rows_failed: null }
  const row: AuditRow = {
    request_id,
    method,
    path: `/api/${path}`,
    status,
    record_id: id,
    ...upload,
  }
  return row
}

function uploadRow(request_id: string, turn: number, rows_created: number): AuditRow {
  const row = auditRow(request_id, 'POST', 'inventory/', 200, request_id)
  return { ...row, notes: `upload ${turn}`, rows_total: 4, rows_created, rows_failed: 0 }
}

describe('the verification of a crash', () => {
  it('has nothing to say where all is as it was answered', () => {
    const { journal, snapshot } = kept()
    expect(verify(journal, snapshot)).toEqual([])
  })

  it.each<[string, (snapshot: Snapshot) => void, RegExp]>([
    ['a lost order', (s) => s.records.pop(), /^order O1: must be .*, is null$/],
    ['an older state', (s) => Object.assign(s.records[0]!, { state: NEW }), /^order O1: must be/],
    [
      'a lost line of an order',
      (s) => Object.assign(s.records[0]!, { state: { ...OLD, items: ['S1 2'] } }),
      /^order O1: must be .*"S2 1".*, is .*\["S1 2"\]/,
    ],
    ['an order of another id', (s) => Object.assign(s.records[0]!, { id: 'x' }), /is x$/],
    ['an order twice', (s) => s.records.push(s.records[0]!), /^order O1: there 2 times$/],
    [
      'an order that nobody sent',
      (s) => s.records.push({ ...s.records[0]!, key: 'O2' }),
      /^order O2: there, but no client sent it$/,
    ],
    [
      'an older upload in its place',
      (s) => Object.assign(s, { stock: rowsWith([1, 1, 1, 1]) }),
      /^stock S: must be .*\[2\]\}, is .*\[1\]\}$/,
    ],
    [
      'half an upload',
      (s) => Object.assign(s, { stock: rowsWith([2, 2, 1, 1]) }),
      /^stock S: must be .*\[2\]\}, is .*\[1,2\]\}$/,
    ],
    ['a lost row of stock', (s) => s.stock.pop(), /^stock S: must be .*, is \{"rows":3/],
    ['stock twice', (s) => s.stock.push(s.stock[0]!), /^stock S: must be .*, is \{"rows":5/],
    [
      'stock that nobody sent',
      (s) => s.stock.push({ ...s.stock[0]!, sku_code: 'S9' }),
      /^stock of S9 at L1: there, but no client sent it$/,
    ],
    ['a missing audit row', (s) => s.audit.shift(), /request-1\): took effect but has no audit/],
    ['an audit row twice', (s) => s.audit.push(s.audit[0]!), /^request request-1: 2 audit rows$/],
    [
      'an audit row without its write',
      (s) => s.audit.push({ ...s.audit[0]!, request_id: 'other' }),
      /^audit row of request other .* no write had this effect$/,
    ],
    [
      'an audit row with another status',
      (s) => Object.assign(s.audit[0]!, { status: 200 }),
      /audit row must say .*"status":201.*says .*"status":200/,
    ],
    [
      'an audit row with other counts',
      (s) => Object.assign(s.audit[1]!, { rows_created: 3 }),
      /audit row must say .*"rows_created":4.*says .*"rows_created":3/,
    ],
    ['what SQLite finds', (s) => s.damage.push('integrity_check: broken'), /integrity_check/],
  ])('names %s, and nothing else', (_, spoil, problem) => {
    const { journal, snapshot } = kept()
    spoil(snapshot)
    const problems = verify(journal, snapshot)
    expect(problems).toEqual([expect.stringMatching(problem)])
  })

  it('lets a change without an answer have happened, with its audit row', () => {
    const { journal, order, snapshot } = kept()
    const write = send(journal, order, change(NEW))
    snapshot.records[0]!.state = NEW
    expect(verify(journal, snapshot)).toEqual([
      expect.stringContaining('PUT orders/O1/ (order O1, request unknown): took effect but has no'),
    ])
    snapshot.audit.push(auditRow('unheard', 'PUT', 'orders/O1/', 200, 'id-O1'))
    expect(verify(journal, snapshot)).toEqual([])
    expect(write).toMatchObject({ landed: true, requestId: 'unheard' })
    expect(order).toMatchObject({ state: NEW, doubt: null })
  })

  it('lets a change without an answer not have happened, and then wants no audit row', () => {
    const { journal, order, snapshot } = kept()
    const write = send(journal, order, change(NEW))
    expect(verify(journal, snapshot)).toEqual([])
    expect(write.landed).toBe(false)
    expect(order).toMatchObject({ state: OLD, doubt: null })
    snapshot.audit.push(auditRow('unheard', 'PUT', 'orders/O1/', 200, 'id-O1'))
    expect(verify(journal, snapshot)).toEqual([
      expect.stringContaining('request unheard (PUT /api/orders/O1/'),
    ])
  })

  it('lets an upload with a 503 have happened for all of its rows, or for none', () => {
    const { journal, stock, snapshot } = kept()
    send(journal, stock, upload(3, 0), 503)
    snapshot.stock = rowsWith([3, 3, 3, 2])
    expect(verify(journal, snapshot)).toEqual([
      expect.stringMatching(/^stock S: must be .*\[2\].*or, unanswered, .*\[3\].*is .*\[2,3\]/),
    ])
    snapshot.stock = rowsWith([3, 3, 3, 3])
    snapshot.audit.push(uploadRow('unheard', 3, 0))
    expect(verify(journal, snapshot)).toEqual([])
  })

  it('takes what was settled for certain from then on', () => {
    const { journal, order, snapshot } = kept()
    send(journal, order, change(NEW))
    snapshot.records[0]!.state = NEW
    snapshot.audit.push(auditRow('unheard', 'PUT', 'orders/O1/', 200, 'id-O1'))
    expect(verify(journal, snapshot)).toEqual([])
    snapshot.records[0]!.state = OLD
    expect(verify(journal, snapshot)).toEqual([expect.stringMatching(/^order O1: must be/)])
  })

  it('wants no effect of what was refused', () => {
    const { journal, snapshot } = kept()
    const wrong = journal.newThing('order', 'O2')
    const intent = { ...creation('order', OLD), expected: 400, wanted: null }
    send(journal, wrong, intent, 400)
    expect(verify(journal, snapshot)).toEqual([])
    snapshot.records.push({ kind: 'order', key: 'O2', id: 'id-O2', state: OLD })
    expect(verify(journal, snapshot)).toEqual([expect.stringMatching(/^order O2: must be null/)])
  })
})

describe('the journal of a crash', () => {
  it('notes an answer that nobody should get', () => {
    const { journal, order } = kept()
    send(journal, order, change(NEW), 404)
    send(journal, order, change(NEW), 500)
    expect(journal.problems).toEqual([
      expect.stringContaining('PUT orders/O1/ (order O1) was answered 404, not 200'),
      expect.stringContaining('PUT orders/O1/ (order O1) was answered 500, not 200'),
    ])
  })
})
