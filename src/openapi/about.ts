import type * as z from 'zod'
import { capitalized, labelOf, type RecordDefinition } from '../engine/model/record.ts'
import { RECORDS } from '../engine/model/records.ts'
import { ApiKey } from '../settings/api-keys/schema.ts'
import { Partner } from '../settings/partners/schema.ts'
import { Workspace } from '../settings/workspace/schema.ts'

interface Definition {
  fields: Record<string, { shown: z.ZodType; about?: string }>
}

const DEFINITIONS = new Map<string | undefined, Definition>([
  ...Object.values(RECORDS).map((record): [string, Definition] => [
    capitalized(record.one),
    record,
  ]),
  ['Workspace', Workspace],
  ['ApiKey', ApiKey],
  ['Partner', Partner],
])

/** The components with fields of a definition: `CreateOrder`, `Order`, `OrderSummary`. */
const COMPONENT = /^(?:Created?|Update|Deactivated)?(\w+?)(?:Summary)?$/

/** What a filter of a list does: `listLocations` and `code`. */
export function aboutFilter(operationId: string, name: string): string | undefined {
  const record: RecordDefinition | undefined = Object.values(RECORDS).find(
    ({ many }) => operationId === `list${capitalized(many)}`,
  )
  if (!record?.filters.includes(name)) return undefined
  const { one, many, key } = record
  const which = name === key ? `the ${one}` : many
  return `Only ${which} with this ${labelOf(record, name)}, compared exactly.`
}

/** What its definition says of a component's field. */
export function aboutField(component: string, name: string): string | undefined {
  return DEFINITIONS.get(COMPONENT.exec(component)?.[1])?.fields[name]?.about
}
