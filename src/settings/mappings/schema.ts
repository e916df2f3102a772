import * as z from 'zod'
import { OTHER_TYPES } from '../../engine/formats/format.ts'
import { formatOptionsIn } from '../../engine/formats/options.ts'
import { findKeys } from '../../engine/identity/key.ts'
import { DateTime } from '../../engine/json/date-time.ts'
import { boundedText, Integer } from '../../engine/json/fields.ts'
import { isObject, type JsonObject } from '../../engine/json/json-object.ts'
import {
  SENT_NAME_LENGTH_MAX,
  SENT_NAMES_MAX,
  SENT_VALUE_LENGTH_MAX,
  type SentWith,
} from '../../engine/json/sent-with.ts'
import type { Resource } from '../../engine/mapping/identifier.ts'
import type { SavedRules } from '../../engine/mapping/saved-rule.ts'
import { type MappingChange, MappingOf } from '../../engine/mapping/schema.ts'
import { BODIES, SHOWN_RECORDS } from '../../records/bodies.ts'
import { HAS_KEY } from '../display-text.ts'

/** The part of a route that names the mapping's resource. */
export const AT_RESOURCE = '/:resource{orders|products|locations|inventory}/'

const SavedDirection = z
  .custom<SavedRules>((value) => isObject(value) && isObject(value.fields))
  .nullable()

/** A mapping as the history of settings has it: rules of then, which today's need not allow. */
export const SavedMappingState = z.object({
  identifier_field: z.string().nullable(),
  inbound: SavedDirection,
  outbound: SavedDirection,
})

export function SaveMapping(resource: Resource) {
  return MappingOf(resource, Object.values(BODIES[resource]), SHOWN_RECORDS[resource]).superRefine(
    refuseKeys,
  )
}

/** The history also keeps rules that somebody has taken back, and a key in one of them would stay there. */
function refuseKeys(
  { identifier_field, inbound, outbound }: MappingChange,
  context: z.RefinementCtx,
): void {
  const rules = Object.entries({ inbound, outbound }).flatMap(([direction, saved]) =>
    Object.entries(saved?.fields ?? {}).map((rule) => ({
      path: [direction, 'fields', rule[0]],
      text: JSON.stringify(rule),
    })),
  )
  for (const { path, text } of [
    { path: ['identifier_field'], text: identifier_field ?? '' },
    { path: ['inbound', 'none'], text: JSON.stringify(inbound?.none ?? []) },
    { path: ['inbound', 'records'], text: JSON.stringify(inbound?.records ?? {}) },
    ...Object.entries(formatOptionsIn(inbound ?? {})).map(([name, options]) => ({
      path: ['inbound', name],
      text: JSON.stringify(options),
    })),
    ...rules,
  ]) {
    if (findKeys(text).length > 0) context.addIssue({ code: 'custom', path, message: HAS_KEY })
  }
}

const SentTexts = z
  .record(boundedText(SENT_NAME_LENGTH_MAX).min(1), boundedText(SENT_VALUE_LENGTH_MAX))
  .refine((texts) => Object.keys(texts).length <= SENT_NAMES_MAX, {
    error: `Must have at most ${SENT_NAMES_MAX} names.`,
  })
  .default({})

/** What comes with the document, as a preview says it: names of headers are of any case. */
export function sentWithOf({ headers, query }: SentWith): SentWith {
  const named = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])
  return { headers: Object.fromEntries(named), query }
}

const isDocument = (value: unknown) =>
  isObject(value) || Array.isArray(value) || typeof value === 'string'

/** `mapping` is a draft to try; without it, the saved mapping is tried. */
export function PreviewMapping(resource: Resource) {
  return z.object({
    payload: z.custom<JsonObject | unknown[] | string>(isDocument, {
      error:
        'Must be a document as the partner sends it: an object, an array, or a text with its "content_type".',
    }),
    content_type: z.enum(OTHER_TYPES).optional(),
    method: z.enum(Object.keys(BODIES[resource])).default('POST'),
    headers: SentTexts,
    query: SentTexts,
    mapping: SaveMapping(resource).optional(),
  })
}

export const LAST_DEFAULT = 200
const LAST_MAX = 1000

/** `mapping` is a draft; without it, the saved mapping is compared with itself. */
export function ReplayMapping(resource: Resource) {
  return z.object({
    mapping: SaveMapping(resource).optional(),
    last: Integer.min(1).max(LAST_MAX).default(LAST_DEFAULT),
    from: DateTime.optional(),
    to: DateTime.optional(),
  })
}
export type ReplayMapping = z.output<ReturnType<typeof ReplayMapping>>
