import type { Context } from 'hono'
import { CONSTRAINT } from '../engine/db/constraints.ts'
import { selectOutcome } from '../engine/db/delivery.ts'
import { foreseen } from '../engine/db/rehearsal.ts'
import { Violation } from '../engine/db/violations.ts'
import type { AppEnv } from '../engine/env.ts'
import { ApiError, invalid } from '../engine/errors.ts'
import { retriedIn } from '../engine/exchange/retried.ts'
import { isObject } from '../engine/json/json-object.ts'
import { REQUIRED } from '../engine/json/messages.ts'
import { type AddressableResource, isAddressable } from '../engine/mapping/identifier.ts'
import type { WebhookRules } from '../engine/webhooks/rules.ts'
import type { Understood } from '../engine/webhooks/understand.ts'
import { mappedDocument } from '../middleware/validate.ts'
import { receiveUpload } from '../records/inventory/receive.ts'
import { UpsertInventory } from '../records/inventory/schema.ts'
import { faultsOfNew } from '../records/orders/schema.ts'
import type { DeliveryResult, ToApply } from './delivery.ts'
import { mapDelivered, placeOf } from './record.ts'
import { type Applied, type DocumentAt, WAYS } from './ways.ts'

/** Does what the delivery asks for. Throws what the same request with a key would be answered. */
export async function apply(c: Context<AppEnv>, delivery: ToApply): Promise<DeliveryResult> {
  const { rules, understood } = delivery
  const { resource } = rules
  refuseUnreadable(rules, understood)
  if (understood.action === 'skip') return await skip(c, understood.reason ?? '')
  if (!isAddressable(resource)) return await uploadStock(c, delivery)
  return await applyRecord(c, resource, delivery).catch((error: unknown) => {
    const isStale = error instanceof Violation && error.constraint === CONSTRAINT.deliveryIsNewest
    if (!isStale) throw error
    return endWithoutChange(c, 'stale', 'A newer document of this record was applied before.')
  })
}

/** 400 VALIDATION_ERROR if what the rules read is not where they expect it. */
function refuseUnreadable(rules: WebhookRules, understood: Understood): void {
  const { document, changed_at } = rules
  const { record, change, action } = understood
  if (document !== null && record === undefined) throw invalid({ [document]: [REQUIRED] })
  if (changed_at === null || change !== undefined || action === 'skip') return
  const path = placeOf(rules)?.(changed_at) ?? changed_at
  throw invalid({ [path]: ['Must be a time or a number: changed_at of the webhook reads it.'] })
}

async function skip(c: Context<AppEnv>, reason: string): Promise<DeliveryResult> {
  return await endWithoutChange(c, 'skipped', reason)
}

/**
 * There is nothing to do. The database confirms the settings first: with others there may be. The end of a delivery that
 * waited is written, and so is how new the document is: what comes later and is older, such as the creation that a
 * cancellation has overtaken, must not be applied.
 */
async function endWithoutChange(
  c: Context<AppEnv>,
  outcome: 'skipped' | 'stale',
  reason: string,
): Promise<DeliveryResult> {
  const { db, caller } = c.var
  if (outcome === 'stale') db.delivered = null
  if (db.delivered === null && db.retried === null) {
    await db.confirm()
  } else {
    db.subject.outcome = outcome
    await db.write({
      record: caller.key.id,
      status: 200,
      changes: [],
      answer: [selectOutcome],
      rehearsal: foreseen(() => [[{ outcome }]]),
    })
  }
  return { outcome, record: null, reason, warnings: [] }
}

async function uploadStock(
  c: Context<AppEnv>,
  { rules, payload }: ToApply,
): Promise<DeliveryResult> {
  c.get('db').subject.outcome = 'uploaded'
  const sent = { payload, isPart: false, place: placeOf(rules) }
  const input = await mappedDocument(c, 'inventory', UpsertInventory, sent)
  const { result, warnings } = await receiveUpload(
    c,
    retriedIn(c) ? withoutOverwriting(input) : input,
  )
  return { outcome: 'uploaded', record: null, upload: result, warnings }
}

/** What came while this upload waited is newer: its rows apply only to pairs that have no record. */
function withoutOverwriting(input: UpsertInventory): UpsertInventory {
  const rows = input.inventory.map((row) => (isObject(row) ? { ...row, if_quantity: null } : row))
  return { ...input, inventory: rows }
}

async function applyRecord(
  c: Context<AppEnv>,
  resource: AddressableResource,
  delivery: ToApply,
): Promise<DeliveryResult> {
  const { event, action } = delivery.understood
  if (action !== 'upsert') return await end(c, resource, delivery)
  return seemsNew(event)
    ? await createOrUpdate(c, resource, delivery)
    : await updateOrCreate(c, resource, delivery)
}

/** Whether the event is likelier that of a new record than of a change: that is tried first, and saves a round trip. */
function seemsNew(event: string | null): boolean {
  return event === null || !/updat|chang|edit|modif|paid|fulfil|complet|status/i.test(event)
}

async function createOrUpdate(
  c: Context<AppEnv>,
  resource: AddressableResource,
  delivery: ToApply,
): Promise<DeliveryResult> {
  const made = await create(c, resource, delivery)
  if (isResult(made)) return made
  return (await update(c, resource, delivery)) ?? (await notCreated(c, made))
}

async function updateOrCreate(
  c: Context<AppEnv>,
  resource: AddressableResource,
  delivery: ToApply,
): Promise<DeliveryResult> {
  const changed = await update(c, resource, delivery)
  if (changed) return changed
  const made = await create(c, resource, delivery)
  return isResult(made) ? made : await notCreated(c, made)
}

/** `ended`: the document of a new order says that it is cancelled or shipped. */
type NotCreated = ApiError | 'ended'

function isResult(made: DeliveryResult | NotCreated): made is DeliveryResult {
  return made !== 'ended' && !(made instanceof ApiError)
}

/** Throws any refusal after which it is certain that there is no such record. */
async function create(
  c: Context<AppEnv>,
  resource: AddressableResource,
  delivery: ToApply,
): Promise<DeliveryResult | NotCreated> {
  try {
    const mapped = await mapDelivered(c, resource, delivery, false)
    if (hasEnded(resource, mapped)) return 'ended'
    c.get('db').subject.outcome = 'created'
    return resultOf(c, await WAYS[resource].create(c, mapped))
  } catch (error) {
    if (mayExist(error)) return error
    throw error
  }
}

function hasEnded(resource: AddressableResource, { document }: DocumentAt): boolean {
  return resource === 'orders' && Object.keys(faultsOfNew(document)).length > 0
}

/** Whether it was refused before the database could say that there is no such record, or because there is one. */
function mayExist(error: unknown): error is ApiError {
  if (!(error instanceof ApiError)) return false
  return ['VALIDATION_ERROR', 'MAPPING_ERROR', 'DUPLICATE'].includes(error.code)
}

async function notCreated(c: Context<AppEnv>, made: NotCreated): Promise<DeliveryResult> {
  if (made !== 'ended') throw made
  return await skip(c, 'There is no such order, and it is cancelled or shipped already.')
}

/** Null if there is no such record. */
async function update(
  c: Context<AppEnv>,
  resource: AddressableResource,
  delivery: ToApply,
): Promise<DeliveryResult | null> {
  const mapped = await mapDelivered(c, resource, delivery, true)
  c.get('db').subject.outcome = 'updated'
  return await WAYS[resource].update(c, mapped).then((applied) => resultOf(c, applied), ifMissing)
}

function ifMissing(error: unknown): null {
  if (error instanceof ApiError && error.code === 'NOT_FOUND') return null
  throw error
}

async function end(
  c: Context<AppEnv>,
  resource: AddressableResource,
  delivery: ToApply,
): Promise<DeliveryResult> {
  const mapped = await mapDelivered(c, resource, delivery, true)
  const { db } = c.var
  db.subject.outcome = resource === 'orders' ? 'cancelled' : 'deactivated'
  const applied = await WAYS[resource].end(c, mapped).catch(ifMissing)
  if (applied) return resultOf(c, applied)
  return await skip(c, `There is no such ${resource.slice(0, -1)}.`)
}

function resultOf(c: Context<AppEnv>, { record, warnings }: Applied): DeliveryResult {
  const { outcome } = c.get('db').subject
  return { outcome: outcome ?? 'updated', record, warnings }
}
