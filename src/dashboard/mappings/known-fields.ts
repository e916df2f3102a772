import * as z from 'zod'
import type { Resource } from '../../mapping/identifier.ts'
import { BODIES, RECORDS } from '../../resources/bodies.ts'
import { innermost } from '../../shape.ts'

interface Field {
  path: string
  isRequired: boolean
}

/** What an inbound rule may write; below a free object such as `metadata` there is more. */
export function targetsOf(resource: Resource): string[] {
  const fields = Object.values(BODIES[resource]).flatMap((body) => fieldsOf(body))
  return [...new Set(fields.map(({ path }) => path))]
}

/** What a new record cannot do without. */
export function requiredTargetsOf(resource: Resource): string[] {
  const { POST: body } = BODIES[resource]
  const fields = body ? fieldsOf(body) : []
  return fields.filter(({ isRequired }) => isRequired).map(({ path }) => path)
}

/** What an outbound rule may read. */
export function recordFieldsOf(resource: Resource): string[] {
  return fieldsOf(RECORDS[resource]).map(({ path }) => path)
}

function fieldsOf(schema: z.core.$ZodType, path = '', isRequired = true): Field[] {
  const inner = innermost(schema)
  if (inner instanceof z.ZodArray) return fieldsOf(inner.element, `${path}[]`, isRequired)
  if (!(inner instanceof z.ZodObject)) return [{ path, isRequired }]
  const members = Object.entries<z.core.$ZodType>(inner.shape)
  return members.flatMap(([name, member]) =>
    fieldsOf(
      member,
      path ? `${path}.${name}` : name,
      isRequired && !z.safeParse(member, undefined).success,
    ),
  )
}
