import { decimalDigits } from '../json/decimal.ts'
import { ExactNumber } from '../json/exact-number.ts'
import type { WorkMeter } from '../json/filter/evaluate.ts'
import { type Filter, readCondition } from '../json/filter/filter.ts'
import { isObject } from '../json/json-object.ts'
import { changeOrder } from './changed-at.ts'
import { ACTIONS_OF, type Action, ANY_EVENT, type Place, type WebhookRules } from './rules.ts'
import { memberAt, valuePath } from './template.ts'

/** What the rules make of a delivery. */
export interface Understood {
  /** As the sender calls it; null if the rules do not say where it stands, or nothing stands there. */
  event: string | null
  sender_id: string | null
  action: Action
  /** Its conditions take more work than they may, so that `action` must not be used. */
  isTooMuch: boolean
  /** The event alone decides: none of the conditions was asked. */
  isByEvent: boolean
  /** Why there is nothing to do; for `skip` only. */
  reason: string | null
  /** The record in the body; undefined if the body has none where the rules expect it. */
  record: unknown
  /** How new the record is (changed-at.ts); null if it does not say. Undefined: what stands there is no time or number. */
  change: string | null | undefined
}

const TEXT_LENGTH_MAX = 255
/** Of the conditions of one delivery: some 30 ms. They compare single values, so none comes near. */
const WORK_MAX = 300_000

/** Reads a delivery whose sender has been checked. `known` is what was read of one that is tried again. */
export function understand(
  rules: WebhookRules,
  headers: Headers,
  body: unknown,
  known?: Pick<Understood, 'event' | 'sender_id'>,
): Understood {
  const read = (place: Place) => textAt(place, headers, body)
  const event = known ? known.event : eventOf(rules, read)
  const sender_id = known ? known.sender_id : rules.delivery_id && read(rules.delivery_id)
  const record = rules.document === null ? body : memberAt(body, valuePath(rules.document))
  const meter = { work: 0, workMax: WORK_MAX }
  const {
    action,
    reason,
    isByEvent = false,
  } = isEmpty(body) ? PINGED : decide(rules, event, record, meter)
  const isTooMuch = meter.work > meter.workMax
  const change = changeOf(rules, record)
  return { event, sender_id, action, isByEvent, isTooMuch, reason, record, change }
}

/** Several parts are joined by dots: GitHub has `issues` in a header and `opened` in the body. */
function eventOf({ event }: WebhookRules, read: (place: Place) => string | null): string | null {
  if (event === null) return null
  const parts = (Array.isArray(event) ? event : [event]).map(read).filter((part) => part !== null)
  return parts.length > 0 ? parts.join('.').slice(0, TEXT_LENGTH_MAX).toWellFormed() : null
}

const PINGED = { action: 'skip', reason: 'A ping.', isByEvent: true } as const
const PING = /^ping$|\.test$/i

/** A sender tries the address out. */
function isEmpty(body: unknown): boolean {
  return isObject(body) && Object.keys(body).length === 0
}

/** First what the event says, then `cancel_if`, then `take_if`. Without a record there is nothing to ask. */
function decide(
  rules: WebhookRules,
  event: string | null,
  record: unknown,
  meter: WorkMeter,
): Pick<Understood, 'action' | 'reason'> & { isByEvent?: true } {
  const { resource, actions, take_if } = rules
  const named = event !== null && Object.hasOwn(actions, event) ? actions[event] : undefined
  if (named === undefined && event !== null && PING.test(event)) return PINGED
  const action = named ?? actions[ANY_EVENT] ?? ACTIONS_OF[resource][0]
  if (action === 'skip') return { action, reason: skipped(event), isByEvent: true }
  const isCertain = action === 'cancel' || action === 'deactivate' || record === undefined
  if (isCertain) return { action, reason: null }
  const { take, cancel } = compiled.getOrInsertComputed(rules, conditionsOf)
  if (cancel?.test(record, meter)) {
    return { action: resource === 'orders' ? 'cancel' : 'deactivate', reason: null }
  }
  if (take && !take.test(record, meter)) {
    return { action: 'skip', reason: `It does not meet take_if: ${take_if}` }
  }
  return { action, reason: null }
}

function skipped(event: string | null): string {
  return event === null
    ? 'The rules skip what has no event.'
    : `The rules skip the event "${event}".`
}

function changeOf({ changed_at, resource }: WebhookRules, record: unknown) {
  if (changed_at === null || resource === 'inventory') return null
  const value = memberAt(record, valuePath(changed_at)) ?? null
  // Deletions often have an id alone.
  return value === null ? null : (changeOrder(value) ?? undefined)
}

interface Conditions {
  take: Filter | null
  cancel: Filter | null
}

// The caller cache keeps one object of rules until the webhook changes.
const compiled = new WeakMap<WebhookRules, Conditions>()

function conditionsOf({ take_if, cancel_if }: WebhookRules): Conditions {
  return { take: filterOf(take_if), cancel: filterOf(cancel_if) }
}

function filterOf(condition: string | null): Filter | null {
  return condition === null ? null : readCondition(condition)
}

/** A text or a number, at most 255 characters of it. */
function textAt(place: Place, headers: Headers, body: unknown): string | null {
  const value =
    'header' in place ? headers.get(place.header) : memberAt(body, valuePath(place.path))
  const isNumber = typeof value === 'number' || value instanceof ExactNumber
  const text = isNumber ? decimalDigits(value) : value
  if (typeof text !== 'string' || text === '') return null
  return text.slice(0, TEXT_LENGTH_MAX).toWellFormed()
}
