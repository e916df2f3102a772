import * as z from 'zod'
import { DateTime } from '../../engine/json/date-time.ts'
import { Integer } from '../../engine/json/fields.ts'
import { isObject, type JsonObject } from '../../engine/json/json-object.ts'
import type { Resource } from '../../engine/mapping/identifier.ts'
import type { SavedRules } from '../../engine/mapping/saved-rule.ts'
import { MappingOf } from '../../engine/mapping/schema.ts'
import { BODIES, SHOWN_RECORDS } from '../../records/bodies.ts'

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
  return MappingOf(resource, Object.values(BODIES[resource]), SHOWN_RECORDS[resource])
}

/** `mapping` is a draft to try; without it, the saved mapping is tried. */
export function PreviewMapping(resource: Resource) {
  return z.object({
    payload: z.custom<JsonObject | unknown[]>((value) => isObject(value) || Array.isArray(value), {
      error: 'Must be an object or an array: a document as the partner sends it.',
    }),
    method: z.enum(Object.keys(BODIES[resource])).default('POST'),
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
