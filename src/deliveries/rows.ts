import type { Context } from 'hono'
import { readForMapping } from '../engine/body/map-inbound.ts'
import { CONSTRAINT } from '../engine/db/constraints.ts'
import { Violation } from '../engine/db/violations.ts'
import {
  countWaitingRows,
  endTriedRow,
  keepMissingRows,
  keepUnknownRows,
  type RowsToKeep,
} from '../engine/db/waiting-rows.ts'
import type { AppEnv } from '../engine/env.ts'
import { type Retried, retriedIn } from '../engine/exchange/retried.ts'
import { isObject } from '../engine/json/json-object.ts'
import { NUMBER_SHIFT } from '../records/inventory/pairs.ts'
import { receiveUpload } from '../records/inventory/receive.ts'
import { UpsertInventory } from '../records/inventory/schema.ts'
import type { UnknownRow } from '../records/inventory/upload.ts'
import { codeAtOf, refuseUnknown, unknownRows } from './coded-rows.ts'
import { type DeliveryResult, withoutChange } from './delivery.ts'
import { wakeFirst } from './wake.ts'

/**
 * Makes the upload of a delivery. Its rows that lack a product or a location wait, each by itself, if the tenant's object can
 * be woken; else they are failed rows and nothing else.
 */
export async function uploadRows(
  c: Context<AppEnv>,
  input: UpsertInventory,
): Promise<DeliveryResult> {
  c.get('db').subject.outcome = 'uploaded'
  const upload = retriedIn(c) ? withoutOverwriting(input) : input
  const kept = await rowsToKeep(c, input)
  const codeAt = c.get('codeAt') ?? null
  const within = kept && {
    changes: keepMissingRows(kept, NUMBER_SHIFT),
    ofUnknown: (rows: UnknownRow[]) => keepUnknownRows(kept, unknownRows(rows, kept, codeAt)),
  }
  const { result, warnings } = await receiveUpload(c, upload, within ?? {})
  const waiting = kept && result.failed ? await waitingRows(c, kept) : 0
  return { outcome: 'uploaded', record: null, upload: result, waiting, warnings }
}

async function rowsToKeep(
  c: Context<AppEnv>,
  { source }: UpsertInventory,
): Promise<RowsToKeep | null> {
  const { key, partner } = c.get('caller')
  const { rehearses, subject } = c.get('db')
  if (rehearses) return null
  const isWoken = await wakeFirst(c).then(
    () => true,
    () => false,
  )
  const { request_id: delivery_id, created_at, sender_event, sender_id } = subject
  const first = retriedIn(c) ?? { delivery_id, created_at }
  return isWoken
    ? {
        delivery_id: first.delivery_id,
        created_at: first.created_at,
        api_key_id: key.id,
        partner_id: partner?.id ?? '',
        sender_event,
        sender_id,
        source,
      }
    : null
}

/** Null if that is not known. The upload has committed. */
async function waitingRows(
  c: Context<AppEnv>,
  { delivery_id }: RowsToKeep,
): Promise<number | null> {
  const counted = c.get('db').readOn([countWaitingRows], { delivery_id })
  return await counted.then(
    ([[row]]) => row?.rows ?? 0,
    () => null,
  )
}

/** Tries a row that waits. It sets nothing if its pair has a record: any stock that is there came later. */
export async function applyRow(c: Context<AppEnv>, retried: Retried): Promise<DeliveryResult> {
  const { value } = await readForMapping(c, 'inventory')
  const input = withoutOverwriting(UpsertInventory.parse(value))
  const { db } = c.var
  c.set('codeAt', codeAtOf(value))
  // The upload ends it, or lets it wait on.
  db.retried = null
  db.subject.outcome = 'uploaded'
  const within = {
    waiting: retried.delivery_id,
    changes: endTriedRow(retried.delivery_id, NUMBER_SHIFT),
    ofUnknown: refuseUnknown,
  }
  try {
    const { result, warnings } = await receiveUpload(c, input, within)
    const { outcome } = db.subject
    return { outcome: outcome ?? 'uploaded', record: null, upload: result, warnings }
  } catch (error) {
    const hasEnded = error instanceof Violation && error.constraint === CONSTRAINT.recordExists
    if (hasEnded) return withoutChange('skipped', 'The row does not wait any more.')
    throw error
  }
}

/** What came while these rows waited is newer: they apply only to pairs that have no record. */
function withoutOverwriting(input: UpsertInventory): UpsertInventory {
  const rows = input.inventory.map((row) => (isObject(row) ? { ...row, if_quantity: null } : row))
  return { ...input, inventory: rows }
}
