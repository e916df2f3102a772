import * as z from 'zod'
import { AnyObject } from '../fields.ts'
import { findFaults } from './compile.ts'
import { IDENTIFIERS, isAddressable, isIdentifierField, type Resource } from './identifier.ts'
import type { Rule, SavedRules } from './rules.ts'
import { sourceFault, targetFault } from './targets.ts'

/** A partner's mapping of one resource, as it is saved. */
export interface Mapping {
  identifier_field: string | null
  inbound: SavedRules | null
  outbound: SavedRules | null
}

/**
 * What may be saved for the resource, whose bodies and records these schemas describe. A rule that can
 * never work is named by its target: `inbound.fields.items[].sku_code`.
 */
export function MappingOf(
  resource: Resource,
  bodies: readonly z.core.$ZodType[],
  record: z.core.$ZodType,
) {
  return z.object({
    identifier_field: IdentifierField(resource).nullable().default(null),
    inbound: Rules(Inbound, (rule) => targetFault(bodies, rule))
      .nullable()
      .default(null),
    outbound: Rules(Outbound, (rule) => requiredFault(rule) ?? sourceFault(record, rule))
      .nullable()
      .default(null),
  })
}

const Inbound = z.enum(['keep', 'drop', 'reject']).default('keep')
const Outbound = z.enum(['drop', 'keep']).default('drop')

function Rules<Unmapped extends typeof Inbound | typeof Outbound>(
  unmapped: Unmapped,
  faultOf: (rule: Rule) => string | null,
) {
  return z.object({
    unmapped,
    fields: AnyObject.superRefine((fields, context) => {
      for (const { rule, message } of findFaults(fields, faultOf)) {
        context.addIssue({ code: 'custom', path: [rule], message })
      }
    }).transform((fields) => fields as SavedRules['fields']),
  })
}

/** An answer must not fail for want of a field. */
function requiredFault({ required }: Rule): string | null {
  return required ? 'An outbound rule takes no "required": what is missing is left out.' : null
}

function IdentifierField(resource: Resource) {
  return z.string().superRefine((field, context) => {
    if (isAddressable(resource) && isIdentifierField(resource, field)) return
    context.addIssue({ code: 'custom', message: identifierFault(resource) })
  })
}

function identifierFault(resource: Resource): string {
  if (!isAddressable(resource)) return 'Inventory is addressed by location code or SKU, always.'
  const { fields, object } = IDENTIFIERS[resource]
  return `Must be one of ${fields.join(', ')}, or ${object}.<key> (letters, digits, "_", "-").`
}
