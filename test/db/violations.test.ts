import { drizzle } from 'drizzle-orm/d1'
import { describe, expect, it } from 'vitest'
import { products } from '../../src/engine/db/tables.ts'
import {
  isTransient,
  refusedBy,
  rethrow,
  sqliteCode,
  unavailability,
  Violation,
  violationOf,
} from '../../src/engine/db/violations.ts'
import { ApiError } from '../../src/engine/errors.ts'
import { D1_FULL, D1_OTHER, D1_TRANSIENT } from '../fixtures/fault.ts'
import { openTenant, unique } from '../fixtures/tenant.ts'

const [LOST = ''] = D1_TRANSIENT
const OVERLOADED = D1_OTHER.slice(0, -1)

const wrapped = (error: Error, depth = 1): Error =>
  depth === 0 ? error : wrapped(new Error('Failed query', { cause: error }), depth - 1)

const db = await openTenant()

describe('sqliteCode', () => {
  it('is the name alone of what the database says, however it is wrapped', async () => {
    const error = await db
      .prepare('select secret from nowhere')
      .all()
      .catch((thrown) => thrown)
    expect(sqliteCode(error)).toBe('SQLITE_ERROR')
    expect(sqliteCode(wrapped(error, 2))).toBe('SQLITE_ERROR')
  })

  it.each([
    ['another error', new Error(LOST)],
    ['a text', 'SQLITE_ERROR'],
    ['nothing', undefined],
  ])('has none of %s', (_, thrown) => {
    expect(sqliteCode(thrown)).toBeUndefined()
  })
})

describe('violationOf', () => {
  it.each([
    [
      'D1_ERROR: UNIQUE constraint failed: orders.order_number: SQLITE_CONSTRAINT (extended: SQLITE_CONSTRAINT_UNIQUE)',
      'orders.order_number',
    ],
    [
      'D1_ERROR: UNIQUE constraint failed: inventory.location_code, inventory.sku_code: SQLITE_CONSTRAINT (extended: SQLITE_CONSTRAINT_UNIQUE)',
      'inventory.location_code',
    ],
    [
      'D1_ERROR: NOT NULL constraint failed: audit_log.settings_version: SQLITE_CONSTRAINT (extended: SQLITE_CONSTRAINT_NOTNULL)',
      'audit_log.settings_version',
    ],
    [
      'D1_ERROR: CHECK constraint failed: audit_log_write_names_record: SQLITE_CONSTRAINT (extended: SQLITE_CONSTRAINT_CHECK)',
      'audit_log_write_names_record',
    ],
    [
      'D1_ERROR: FOREIGN KEY constraint failed: SQLITE_CONSTRAINT (extended: SQLITE_CONSTRAINT_FOREIGNKEY)',
      'FOREIGN KEY',
    ],
    [
      'D1_ERROR: orders_status_is_final: SQLITE_CONSTRAINT (extended: SQLITE_CONSTRAINT_TRIGGER)',
      'orders_status_is_final',
    ],
    ['UNIQUE constraint failed: products.sku: SQLITE_CONSTRAINT', 'products.sku'],
  ])('finds in "%s" %s', (message, constraint) => {
    for (const error of [
      new Error(message),
      wrapped(new Error(message)),
      wrapped(new Error(message), 3),
    ]) {
      expect(violationOf(error)).toBeInstanceOf(Violation)
      expect(violationOf(error)?.constraint).toBe(constraint)
    }
  })

  it.each([
    ...D1_TRANSIENT,
    ...D1_OTHER,
    ...D1_FULL,
    'D1_ERROR: no such table: x: SQLITE_ERROR',
    'D1_ERROR: near "x": syntax error at offset 1: SQLITE_ERROR',
    'constraint',
    '',
  ])('finds nothing in "%s"', (message) => {
    expect(violationOf(new Error(message))).toBeNull()
  })

  it.each([null, undefined, 'UNIQUE constraint failed: a.b', 7, {}])('finds nothing in %j', (e) => {
    expect(violationOf(e)).toBeNull()
  })

  it('comes to an end with an error that is its own cause', () => {
    const error = new Error('round and round')
    error.cause = error
    expect(violationOf(error)).toBeNull()
    expect(isTransient(error)).toBe(false)
  })

  it.each([
    [
      "insert into workspace (id, tenant, name, created_at, updated_at) values (1, '', '', '', '')",
      'workspace.id',
    ],
    ["insert into products (id, created_at, updated_at) values ('x', '', '')", 'products.sku'],
    [
      "insert into order_items (order_id, position, id, sku_code, quantity) values ('', 0, '', '', 1)",
      'FOREIGN KEY',
    ],
    [
      `insert into audit_log (request_id, created_at, settings_version, api_key_id, api_key_name,
         method, path, status, duration_ms) values ('', '', 1, '', '', 'PUT', '', 200, 0)`,
      'audit_log_write_names_record',
    ],
    [
      "insert into audit_log (request_id, created_at) values ('', '')",
      'audit_log.settings_version',
    ],
  ])('names what the real database says of %s', async (sql, constraint) => {
    const error = await db.batch([db.prepare(sql)]).catch((thrown: unknown) => thrown)
    expect(violationOf(error)?.constraint).toBe(constraint)
  })

  it("names what a real trigger says: 'orders_status_is_final'", async () => {
    const number = unique('O')
    await db
      .prepare(
        `insert into orders (id, order_number, status, created_at, updated_at)
         values (?1, ?1, 'shipped', '', '')`,
      )
      .bind(number)
      .run()
    const change = db
      .prepare("update orders set status = 'pending' where order_number = ?")
      .bind(number)
    const error = await db.batch([change]).catch((thrown: unknown) => thrown)
    expect(violationOf(error)?.constraint).toBe('orders_status_is_final')
  })

  it('looks through what drizzle wraps around a single query', async () => {
    const q = drizzle(db)
    const now = new Date().toISOString()
    const row = { id: unique('id'), sku: unique('S'), created_at: now, updated_at: now }
    await q.insert(products).values(row)
    const error = await q
      .insert(products)
      .values({ ...row, id: unique('id') })
      .catch((thrown: unknown) => thrown)
    expect(violationOf(error)?.constraint).toBe('products.sku')
  })

  it('says nothing but the constraint', () => {
    const message = 'D1_ERROR: UNIQUE constraint failed: orders.order_number: SQLITE_CONSTRAINT'
    expect(violationOf(new Error(message))?.message).toBe('refused by orders.order_number')
  })
})

describe('isTransient', () => {
  it.each(D1_TRANSIENT)('is true of "%s"', (message) => {
    expect(isTransient(new Error(message))).toBe(true)
    expect(isTransient(wrapped(new Error(message), 2))).toBe(true)
  })

  it.each([
    ...D1_OTHER,
    ...D1_FULL,
    'D1_ERROR: UNIQUE constraint failed: orders.order_number: SQLITE_CONSTRAINT',
    'D1_ERROR: no such column: x: SQLITE_ERROR',
    '',
  ])('is false of "%s": to try again at once would not help', (message) => {
    expect(isTransient(new Error(message))).toBe(false)
  })

  it('is false of what is no error', () => {
    for (const thrown of [null, undefined, LOST, { message: LOST }]) {
      expect(isTransient(thrown)).toBe(false)
    }
  })
})

describe('unavailability', () => {
  it.each([...D1_TRANSIENT, ...OVERLOADED])('makes 503 with Retry-After of "%s"', (message) => {
    const error = unavailability(wrapped(new Error(message)))
    expect(error).toBeInstanceOf(ApiError)
    expect([error?.code, error?.details]).toEqual([
      'UNAVAILABLE',
      { retryAfter: 1, reason: 'DATABASE_UNREACHABLE' },
    ])
    expect(error?.message).toBe(
      'The database cannot be reached just now. Nothing was changed: try again.',
    )
  })

  it.each(D1_FULL)('names the operator of "%s"', (message) => {
    const error = unavailability(wrapped(new Error(message)))
    expect([error?.code, error?.details]).toEqual([
      'UNAVAILABLE',
      { reason: 'STORAGE_FULL', retryAfter: 60 },
    ])
  })

  it('makes nothing of any other error', () => {
    for (const error of [new Error('no such table'), new Violation('x'), null, 'overloaded']) {
      expect(unavailability(error)).toBeNull()
    }
  })
})

describe('rethrow', () => {
  it('throws 503 for what passes, and anything else as it is', () => {
    expect(() => rethrow(new Error('Network connection lost'))).toThrow(ApiError)
    const other = new Error('no such table')
    expect(() => rethrow(other)).toThrow(other)
  })
})

describe('refusedBy', () => {
  const duplicate = new ApiError('DUPLICATE', 'It exists.', { reason: 'ALREADY_EXISTS' })
  const rules = { 'products.sku': () => duplicate, 'FOREIGN KEY': async () => new Error('later') }
  const outcome = (error: unknown) => refusedBy(rules)(error).catch((thrown: unknown) => thrown)

  it('turns the violation of a named constraint into the error of its rule', async () => {
    expect(await outcome(new Violation('products.sku'))).toBe(duplicate)
    expect(await outcome(new Violation('FOREIGN KEY'))).toEqual(new Error('later'))
  })

  it('passes on everything else', async () => {
    const others = [
      new Violation('orders.order_number'),
      new Error('products.sku'),
      duplicate,
      null,
    ]
    for (const other of others) expect(await outcome(other)).toBe(other)
  })
})
