import * as z from 'zod'
import { isObject, type JsonObject } from '../../fields.ts'
import type { Resource } from '../../mapping/identifier.ts'
import { MappingOf } from '../../mapping/schema.ts'
import { BODIES, RECORDS } from '../../resources/bodies.ts'

/** Where a route names the resource that it is about. */
export const AT_RESOURCE = '/:resource{orders|products|locations|inventory}/'

export function SaveMapping(resource: Resource) {
  return MappingOf(resource, Object.values(BODIES[resource]), RECORDS[resource])
}

/** `mapping` is a draft to be tried; without one, the saved mapping is. */
export function PreviewMapping(resource: Resource) {
  return z.object({
    payload: z.custom<JsonObject>(isObject, { error: 'Must be an object: a document as sent.' }),
    method: z.enum(Object.keys(BODIES[resource])).default('POST'),
    mapping: SaveMapping(resource).optional(),
  })
}
