import * as z from 'zod'
import { AnyObject } from '../document/fields.ts'
import { findFaults } from './compile.ts'
import { IDENTIFIERS, isAddressable, isIdentifierField, type Resource } from './identifier.ts'
import { type Rule, readRules, readsArray } from './rules.ts'
import type { SavedRules } from './saved-rule.ts'
import { sourceFault, targetFault } from './targets.ts'

/** A partner's mapping of one resource, as saved. */
export interface Mapping {
  identifier_field: string | null
  inbound: SavedRules | null
  outbound: SavedRules | null
}

/**
 * The schema of a resource's mapping; `bodies` and `record` are the resource's own schemas. Refuses a rule
 * that can never work, by the name of its target: `inbound.fields.items[].sku_code`.
 */
export function MappingOf(
  resource: Resource,
  bodies: readonly z.core.$ZodType[],
  record: z.core.$ZodType,
) {
  return z.object({
    identifier_field: IdentifierField(resource).nullable().default(null),
    inbound: Rules(Inbound, 'keep', (rule) => targetFault(bodies, rule))
      .nullable()
      .default(null),
    outbound: Rules(Outbound, 'drop', (rule) => requiredFault(rule) ?? sourceFault(record, rule))
      .nullable()
      .default(null),
  })
}

const Inbound = z.enum(['keep', 'drop', 'reject'])
const Outbound = z.enum(['drop', 'keep'])

/** Rules that read a document which is an array drop the rest: it has no fields that could pass through. */
function Rules<Unmapped extends typeof Inbound | typeof Outbound>(
  unmapped: Unmapped,
  usual: z.output<Unmapped>,
  faultOf: (rule: Rule) => string | null,
) {
  return z
    .object({
      unmapped: unmapped.optional(),
      fields: AnyObject.superRefine((fields, context) => {
        for (const { rule, message } of findFaults(fields, faultOf)) {
          context.addIssue({ code: 'custom', path: [rule], message })
        }
      }),
    })
    .superRefine(({ unmapped: chosen, fields }, context) => {
      if (chosen === undefined || chosen === 'drop' || !areForArray(fields)) return
      const message = 'Must be drop: a document that is an array has no fields to keep or reject.'
      context.addIssue({ code: 'custom', path: ['unmapped'], message })
    })
    .transform(({ unmapped: chosen, fields }): SavedRules => {
      const assumed = areForArray(fields) ? 'drop' : usual
      return { unmapped: chosen ?? assumed, fields: fields as SavedRules['fields'] }
    })
}

function areForArray(fields: Record<string, unknown>): boolean {
  return readRules(fields).rules.some(readsArray)
}

/** A missing field must not fail an answer. */
function requiredFault({ required }: Rule): string | null {
  return required ? 'An outbound rule cannot have "required": a missing value is left out.' : null
}

function IdentifierField(resource: Resource) {
  return z.string().superRefine((field, context) => {
    if (isAddressable(resource) && isIdentifierField(resource, field)) return
    context.addIssue({ code: 'custom', message: identifierFault(resource) })
  })
}

function identifierFault(resource: Resource): string {
  if (!isAddressable(resource))
    return 'Must be null: inventory is always addressed by location code or SKU.'
  const { fields, object } = IDENTIFIERS[resource]
  return `Must be one of ${fields.join(', ')}, or ${object}.<key> (letters, digits, "_", "-").`
}
