import type { Context } from 'hono'
import { endTried } from '../engine/db/waiting.ts'
import type { AppEnv } from '../engine/env.ts'
import { unavailable } from '../engine/errors.ts'
import { retriedIn } from '../engine/exchange/retried.ts'
import { byteLength } from '../engine/json/fields.ts'
import type { WebhookRules } from '../engine/webhooks/rules.ts'
import { KEPT_BODY_BYTES_MAX, keepBody, writeKept } from './keep.ts'
import { wakeFirst } from './wake.ts'

/** So many rows hold what is left of a delivery. What stands beside its records is in each of them. */
const ROWS_MAX = 16

/** A body with the records from `from` to before `to` alone, as JSON. */
export type BodyOf = (from: number, to: number) => Promise<string>

interface Rest {
  /** The first record that was not tried. */
  from: number
  count: number
  bodyOf: BodyOf
  /** The Content-Type of its bodies. */
  content_type: string
}

/**
 * Keeps the records of a delivery that were not tried, in the batch of its audit row: documents with those alone, which are
 * tried at once. 503 UNAVAILABLE if they take more than may wait.
 */
export async function keepRest(c: Context<AppEnv>, rules: WebhookRules, rest: Rest): Promise<void> {
  const { db, caller } = c.var
  if (db.rehearses) return
  const bodies: string[] = []
  await addBodies(bodies, rest.bodyOf, rest.from, rest.count)
  await wakeFirst(c)
  const retried = retriedIn(c)
  db.retried = null
  const { request_id } = c.get('exchange')
  const kept = bodies.map((text, at) => {
    const due_at = new Date().toISOString()
    const found = { ...NOT_TRIED, due_at, delivery_id: idOf(request_id, at) }
    return keepBody(c, rules, found, { text, content_type: rest.content_type })
  })
  const changes = [...(retried ? endTried(retried.delivery_id) : []), ...kept]
  await writeKept(c, { record: caller.key.id, status: 200, changes })
}

const NOT_TRIED = {
  needs: 'time',
  needs_code: null,
  identifier: null,
  changed_at: null,
  record_name: null,
  error_code: 'UNAVAILABLE',
  message: 'These records are not tried yet: the delivery has more than one request can apply.',
} as const

function idOf(request_id: string, at: number): string {
  return at === 0 ? request_id : `${request_id}.${at}`
}

/** Halves what is larger than a row. */
async function addBodies(
  bodies: string[],
  bodyOf: BodyOf,
  from: number,
  to: number,
): Promise<void> {
  if (bodies.length === ROWS_MAX) throw tooMuch()
  const body = await bodyOf(from, to)
  if (byteLength(body) <= KEPT_BODY_BYTES_MAX) {
    bodies.push(body)
    return
  }
  if (to - from === 1) throw tooMuch()
  const middle = Math.ceil((from + to) / 2)
  await addBodies(bodies, bodyOf, from, middle)
  await addBodies(bodies, bodyOf, middle, to)
}

function tooMuch() {
  return unavailable(
    'The delivery has more records than could be tried at once, and the others are too large to wait. Send it again: what was applied stays as it is.',
    'DELIVERIES_FULL',
  )
}
