import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import type { AppEnv } from '../env.ts'
import type { JsonObject } from '../fields.ts'
import type { Resource } from '../mapping/identifier.ts'
import { mapDocument } from '../mapping/inbound.ts'
import { mapRecord } from '../mapping/outbound.ts'
import { mappingError } from '../mapping/problem.ts'

/**
 * The payload in our words, by the mapping of the caller's partner; as it is, where there is none.
 * 422 MAPPING_ERROR. From here on, errors and warnings name the payload's own paths as well.
 */
export function mapInbound(c: Context<AppEnv>, resource: Resource, payload: JsonObject) {
  const saved = c.get('caller').partner?.mappings[resource]?.inbound
  if (!saved) return payload
  const document = mapDocument(resource, saved, payload, c.req.method)
  const [problem, ...more] = document.problems
  if (problem) throw mappingError([problem, ...more])
  c.set('sourceOf', document.sourceOf)
  c.set('warnings', document.unread())
  return document.value
}

/** Shows records of the resource as the caller's partner wants to see them. */
export function mapOutbound(resource: Resource) {
  return createMiddleware<AppEnv>(async function mapOutbound(c, next) {
    const saved = c.get('caller').partner?.mappings[resource]?.outbound
    if (saved) c.set('outbound', (record) => mapRecord(saved, record))
    await next()
  })
}
