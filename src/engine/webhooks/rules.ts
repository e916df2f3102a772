import * as z from 'zod'
import { boundedText } from '../json/fields.ts'
import { readCondition } from '../json/filter/filter.ts'
import { FilterError } from '../json/filter/syntax.ts'
import { SENT_NAMES_MAX } from '../json/sent-with.ts'
import { RESOURCES, type Resource } from '../mapping/identifier.ts'
import { ReadableHeader, ReadableParameter, SenderHeader } from './header-field.ts'
import { valuePathFault } from './template.ts'
import { Verification } from './verification.ts'

export const ACTIONS = ['upsert', 'cancel', 'deactivate', 'upload', 'skip'] as const
export type Action = (typeof ACTIONS)[number]

/** What a document of a resource can do. The first is what happens with an event that the rules do not name. */
export const ACTIONS_OF: Record<Resource, readonly [Action, ...Action[]]> = {
  orders: ['upsert', 'cancel', 'skip'],
  products: ['upsert', 'deactivate', 'skip'],
  locations: ['upsert', 'deactivate', 'skip'],
  inventory: ['upload', 'skip'],
}

/** The name in `actions` of all events that it does not name. */
export const ANY_EVENT = '*'

const PATH_LENGTH_MAX = 256
const FILTER_LENGTH_MAX = 1000
const EVENT_LENGTH_MAX = 100
const EVENTS_MAX = 50
const EVENT_PARTS_MAX = 3

/** A path that leads to one value. */
const ValuePath = boundedText(PATH_LENGTH_MAX)
  .min(1)
  .superRefine((path, context) => {
    const fault = valuePathFault(path)
    if (fault) context.addIssue({ code: 'custom', message: fault })
  })

/** A filter of RFC 9535 without its brackets, such as `@.status == 'paid'`. */
const Condition = boundedText(FILTER_LENGTH_MAX)
  .min(1)
  .superRefine((condition, context) => {
    const fault = conditionFault(condition)
    if (fault) context.addIssue({ code: 'custom', message: fault })
  })

/** A value of a header, or in the document. */
const Place = z.union(
  [z.strictObject({ header: SenderHeader }), z.strictObject({ path: ValuePath })],
  { error: 'Must be {"header": "..."} or {"path": "..."}.' },
)
export type Place = z.output<typeof Place>

const Event = z.union([Place, z.array(Place).min(1).max(EVENT_PARTS_MAX)], {
  error: `Must be {"header": "..."} or {"path": "..."}, or an array of at most ${EVENT_PARTS_MAX} of these.`,
})

const Actions = z
  .record(boundedText(EVENT_LENGTH_MAX).min(1), z.enum(ACTIONS))
  .refine((actions) => Object.keys(actions).length <= EVENTS_MAX, {
    error: `Must have at most ${EVENTS_MAX} events.`,
  })

/** How a webhook checks and understands what is delivered to it. */
export const WebhookRules = z
  .object({
    resource: z.enum(RESOURCES),
    verification: Verification,
    event: Event.nullable().default(null),
    delivery_id: Place.nullable().default(null),
    /** Where the record stands in the body; null if the body is the record. */
    document: ValuePath.nullable().default(null),
    actions: Actions.default({}),
    take_if: Condition.nullable().default(null),
    cancel_if: Condition.nullable().default(null),
    changed_at: ValuePath.nullable().default(null),
    /** What of a delivery's headers and query the mapping can read besides the body. */
    headers: z.array(ReadableHeader).max(SENT_NAMES_MAX).default([]),
    query: z.array(ReadableParameter).max(SENT_NAMES_MAX).default([]),
  })
  .superRefine((rules, context) => {
    for (const { path, message } of [...faultsOf(rules), ...faultsOfHeaders(rules)]) {
      // Zod writes into the path, which two faults of an action share.
      context.addIssue({ code: 'custom', path: [...path], message })
    }
  })
export type WebhookRules = z.output<typeof WebhookRules>

type Rules = Pick<WebhookRules, 'resource' | 'event' | 'actions' | 'cancel_if' | 'changed_at'>

/** Rules that can never work, or not as they are meant. */
function faultsOf({ resource, event, actions, cancel_if, changed_at }: Rules) {
  const possible = ACTIONS_OF[resource]
  const faults: { path: string[]; message: string }[] = []
  for (const [name, action] of Object.entries(actions)) {
    const path = ['actions', name]
    if (!possible.includes(action)) {
      faults.push({
        path,
        message: `Must be one of these for ${resource}: ${possible.join(', ')}.`,
      })
    }
    if (name !== ANY_EVENT && event === null) {
      faults.push({ path, message: 'Names an event, and "event" does not say where events stand.' })
    }
  }
  if (resource === 'inventory' && cancel_if !== null) {
    faults.push({ path: ['cancel_if'], message: 'Stock cannot be cancelled: leave it out.' })
  }
  if (resource === 'inventory' && changed_at !== null) {
    faults.push({ path: ['changed_at'], message: 'Uploads of stock ignore it: leave it out.' })
  }
  return faults
}

/** Whoever may change a mapping must not learn what proves the sender. */
function faultsOfHeaders({
  verification,
  headers,
}: Pick<WebhookRules, 'verification' | 'headers'>) {
  const proof = 'header' in verification ? verification.header.toLowerCase() : undefined
  return headers.flatMap((name, at) =>
    name.toLowerCase() === proof
      ? [{ path: ['headers', at], message: 'Proves who sends: no mapping may read it.' }]
      : [],
  )
}

function conditionFault(condition: string): string | null {
  try {
    readCondition(condition)
    return null
  } catch (error) {
    if (!(error instanceof FilterError)) throw error
    return `Cannot be read as a condition: ${error.message}. Write it as @.status == 'paid'.`
  }
}
