import type { Context } from 'hono'
import type * as z from 'zod'
import type { AppEnv } from '../env.ts'
import type { JsonObject } from '../json/json-object.ts'
import { membersOf } from '../json/shape.ts'
import { IDENTIFIERS, isAddressable, type Resource } from '../mapping/identifier.ts'

interface FixedOptions {
  schema: z.ZodType<object>
  /** What the resource's records show. */
  record: z.ZodType<object>
  /** It changes a record, which it may name. */
  isPart: boolean
}

/**
 * The document without what records show and the schema does not take. `fixed` has that: a PUT is refused if it names
 * another record, and warns of other values. Where a release does not refuse names, they are unknown fields. So is what a
 * mapping only lets through: the partner's own `id` is not ours.
 */
export function withoutFixed(
  c: Context<AppEnv>,
  resource: Resource,
  document: JsonObject,
  { schema, record, isPart }: FixedOptions,
): JsonObject {
  const taken = membersOf(schema)
  const rules = c.get('caller').partner?.mappings[resource]?.inbound?.fields
  const targets = rules && Object.keys(rules)
  const naming = isPart ? namesOf(resource) : []
  const names: JsonObject = {}
  const others: JsonObject = {}
  for (const name of Object.keys(membersOf(record))) {
    if (Object.hasOwn(taken, name) || !Object.hasOwn(document, name)) continue
    if (targets && !targets.some((target) => target.split(/[.[]/)[0] === name)) continue
    if (!naming.includes(name)) others[name] = document[name]
    else if (c.get('release').refusesOtherNames) names[name] = document[name]
  }
  c.set('fixed', { names, others })
  const left = Object.entries(document).filter(
    ([name]) => !Object.hasOwn(names, name) && !Object.hasOwn(others, name),
  )
  return Object.fromEntries(left)
}

function namesOf(resource: Resource): string[] {
  return isAddressable(resource) ? ['id', IDENTIFIERS[resource].fallback] : []
}
