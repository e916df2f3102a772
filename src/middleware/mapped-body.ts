import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import type * as z from 'zod'
import { withoutFixed } from '../engine/body/fixed.ts'
import {
  type DocumentToMap,
  mapInbound,
  mappedRecord,
  readForMapping,
} from '../engine/body/map-inbound.ts'
import type { AppEnv } from '../engine/env.ts'
import type { FieldErrors } from '../engine/errors.ts'
import { recordIn } from '../engine/exchange/acting.ts'
import { stating } from '../engine/exchange/contract.ts'
import type { JsonObject } from '../engine/json/json-object.ts'
import type { Resource } from '../engine/mapping/identifier.ts'
import { type Checked, checkedDocument } from './validate.ts'

interface MappedBodyOptions {
  /** What the resource's records show. The handler compares what of it the schema does not take (fixed.ts). */
  record?: z.ZodType<object> | undefined
  /** What else is wrong with a document. */
  faults?: ((document: JsonObject) => FieldErrors) | undefined
}

/** As `body` of validate.ts, for a document that a partner may send in its own words: maps it first. */
export function mappedBody<Schema extends z.ZodType<object>>(
  resource: Resource,
  schema: Schema,
  options: MappedBodyOptions = {},
) {
  const checking = createMiddleware<AppEnv, string, Checked<'json', Schema>>(
    async function mappedBody(c, next) {
      const isPart = c.req.method === 'PUT'
      const record = recordIn(c)
      const mapped = record
        ? await mappedRecord(c, resource, record.document)
        : await mapInbound(c, resource, { payload: await readForMapping(c, resource), isPart })
      const checked = checkedFields(c, resource, schema, mapped, { ...options, isPart })
      c.req.addValidatedData('json', checked)
      await next()
    },
  )
  return stating(checking, { body: schema, isMapped: true })
}

/**
 * The way of a document from the partner's words to ours: mapped, without what no request sets, checked. 400
 * VALIDATION_ERROR, 413 PAYLOAD_TOO_LARGE or 422 MAPPING_ERROR. `sourceOf`, `fixed` and `warnings` tell of it.
 */
export async function mappedAndChecked<Schema extends z.ZodType<object>>(
  c: Context<AppEnv>,
  resource: Resource,
  schema: Schema,
  { record, faults, ...sent }: MappedBodyOptions & DocumentToMap,
): Promise<z.output<Schema>> {
  const mapped = await mapInbound(c, resource, sent)
  return checkedFields(c, resource, schema, mapped, { record, faults, isPart: sent.isPart })
}

/** The second half of that way, for a document that is mapped. */
export function checkedFields<Schema extends z.ZodType<object>>(
  c: Context<AppEnv>,
  resource: Resource,
  schema: Schema,
  mapped: JsonObject,
  { record, faults, isPart }: MappedBodyOptions & Pick<DocumentToMap, 'isPart'>,
): z.output<Schema> {
  const document = record ? withoutFixed(c, resource, mapped, { schema, record, isPart }) : mapped
  return checkedDocument(c, schema, document, faults?.(mapped))
}
