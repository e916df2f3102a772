import type { Context } from 'hono'
import { CONSTRAINT } from '../engine/db/constraints.ts'
import { selectOutcome } from '../engine/db/delivery.ts'
import { foreseen } from '../engine/db/rehearsal.ts'
import { Violation } from '../engine/db/violations.ts'
import type { AppEnv } from '../engine/env.ts'
import { ApiError, invalid } from '../engine/errors.ts'
import type { Address } from '../engine/identifiers/address.ts'
import { newRecordId, newRecordValues } from '../engine/identifiers/creation.ts'
import { DAY_MS } from '../engine/json/date-time.ts'
import { REQUIRED } from '../engine/json/messages.ts'
import { type AddressableResource, isAddressable } from '../engine/mapping/identifier.ts'
import type { WebhookRules } from '../engine/webhooks/rules.ts'
import type { Understood } from '../engine/webhooks/understand.ts'
import { mappedAndChecked } from '../middleware/mapped-body.ts'
import { UpsertInventory } from '../records/inventory/schema.ts'
import { faultsOfNew } from '../records/orders/schema.ts'
import { type DeliveryResult, type ToApply, withoutChange } from './delivery.ts'
import { mapDelivered, placeOf } from './record.ts'
import { uploadRows } from './rows.ts'
import { type Applied, type DocumentAt, WAYS } from './ways.ts'

/** Does what the delivery asks for. Throws what the same request with a key would be answered. */
export async function apply(c: Context<AppEnv>, delivery: ToApply): Promise<DeliveryResult> {
  const { rules, understood } = delivery
  const { resource } = rules
  if (understood.isTooMuch) throw invalid({ take_if: [TOO_MUCH], cancel_if: [TOO_MUCH] })
  if (understood.action === 'skip') return await skip(c, understood.reason ?? '')
  refuseUnreadable(rules, understood)
  if (!isAddressable(resource)) return await uploadStock(c, delivery)
  return await applyRecord(c, resource, delivery).catch(async (error: unknown) => {
    const isStale = error instanceof Violation && error.constraint === CONSTRAINT.deliveryIsNewest
    if (!isStale) throw error
    c.get('db').delivered = null
    await noteEnd(c, 'stale')
    return withoutChange('stale', 'A newer document of this record was applied before.')
  })
}

const NO_CHANGE = 'Must be a time or a number: changed_at of the webhook reads it.'
const AHEAD = 'Is more than a day in the future: applied, it would make all that follows stale.'

/** A day more than any zone is ahead. */
function isAhead(change: string): boolean {
  return change > `t${new Date(Date.now() + DAY_MS).toISOString()}`
}

const TOO_MUCH =
  'The conditions of the webhook take too many steps with this document: let them compare single values.'

/** 400 VALIDATION_ERROR if what the rules read is not where they expect it. */
function refuseUnreadable(rules: WebhookRules, understood: Understood): void {
  const { document, changed_at } = rules
  const { record, change } = understood
  if (document !== null && record === undefined) throw invalid({ [document]: [REQUIRED] })
  if (changed_at === null) return
  const path = placeOf(rules)?.(changed_at) ?? changed_at
  if (change === undefined) throw invalid({ [path]: [NO_CHANGE] })
  if (change !== null && isAhead(change)) throw invalid({ [path]: [AHEAD] })
}

/** For what is not about the record, or must not say how new it is. */
export async function skip(c: Context<AppEnv>, reason: string): Promise<DeliveryResult> {
  c.get('db').delivered = null
  await noteEnd(c, 'skipped')
  return withoutChange('skipped', reason)
}

/** Null if another delivery has created the record meanwhile. */
async function skipUnlessAt(
  c: Context<AppEnv>,
  address: Address,
  reason: string,
): Promise<DeliveryResult | null> {
  return (await noteEnd(c, 'skipped', address)) ? withoutChange('skipped', reason) : null
}

/**
 * There is nothing to do. The database confirms the settings first: with others there may be. The end of a delivery that
 * waited is written, and so is how new the document is: what comes later and is older, such as the creation that a
 * cancellation has overtaken, must not be applied. False if there is a record at `unlessAt`.
 */
export async function noteEnd(
  c: Context<AppEnv>,
  outcome: 'skipped' | 'stale' | 'several',
  unlessAt?: Address,
): Promise<boolean> {
  const { db, caller } = c.var
  const { id } = caller.key
  if (db.delivered === null && db.retried === null) {
    await db.confirm()
    return true
  }
  db.subject.outcome = outcome
  const written = db.write({
    record: newRecordId(id, unlessAt),
    status: 200,
    values: newRecordValues(id, unlessAt),
    changes: [],
    answer: [selectOutcome],
    rehearsal: foreseen(() => [[{ outcome }]]),
  })
  return await written.then(
    () => true,
    (error: unknown) => {
      if (error instanceof Violation && error.constraint === CONSTRAINT.recordExists) return false
      throw error
    },
  )
}

async function uploadStock(
  c: Context<AppEnv>,
  { rules, payload, sent }: ToApply,
): Promise<DeliveryResult> {
  const document = { payload, sent, isPart: false, place: placeOf(rules) }
  const input = await mappedAndChecked(c, 'inventory', UpsertInventory, document)
  return await uploadRows(c, input)
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
  const changed = await update(c, resource, delivery)
  if (changed) return changed
  if (made instanceof ApiError) throw made
  const skipped = await skipUnlessAt(c, made.address, ENDED)
  return skipped ?? (await createOrUpdate(c, resource, delivery))
}

async function updateOrCreate(
  c: Context<AppEnv>,
  resource: AddressableResource,
  delivery: ToApply,
): Promise<DeliveryResult> {
  // Another delivery may create it in between.
  const changed = await update(c, resource, delivery)
  return changed ?? (await createOrUpdate(c, resource, delivery))
}

const ENDED = 'There is no such order, and it is cancelled or shipped already.'

/** `ended`: the document of a new order says that it is cancelled or shipped. */
type NotCreated = ApiError | { ended: true; address: Address }

function isResult(made: DeliveryResult | NotCreated): made is DeliveryResult {
  return 'outcome' in made
}

/** Throws any refusal after which it is certain that there is no such record. */
async function create(
  c: Context<AppEnv>,
  resource: AddressableResource,
  delivery: ToApply,
): Promise<DeliveryResult | NotCreated> {
  try {
    const mapped = await mapDelivered(c, resource, delivery, false)
    if (hasEnded(resource, mapped)) return { ended: true, address: mapped.address }
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
  const reason = `There is no such ${resource.slice(0, -1)}.`
  const skipped = await skipUnlessAt(c, mapped.address, reason)
  return skipped ?? (await end(c, resource, delivery))
}

function resultOf(c: Context<AppEnv>, { record, warnings }: Applied): DeliveryResult {
  const { outcome } = c.get('db').subject
  return { outcome: outcome ?? 'updated', record, warnings }
}
