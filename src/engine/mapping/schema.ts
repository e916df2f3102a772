import * as z from 'zod'
import { AnyObject } from '../json/fields.ts'
import { readPath } from '../json/path.ts'
import { codeFault } from './coded-places.ts'
import { findFaults } from './compile.ts'
import { IDENTIFIERS, isAddressable, isIdentifierField, type Resource } from './identifier.ts'
import { readNoValues } from './no-values.ts'
import { RuleError } from './rule-error.ts'
import { type MappingRule, readRules, readsArray } from './rules.ts'
import type { SavedRules } from './saved-rule.ts'
import { meltingFaults } from './single.ts'
import { sourceFault, targetFault } from './targets.ts'

/** A partner's mapping of one resource, as saved. */
export interface Mapping {
  identifier_field: string | null
  inbound: SavedRules | null
  outbound: SavedRules | null
}

/** What a PUT of a mapping gives. What is absent stays as it is. */
export type MappingChange = Partial<Mapping>

const NOTHING: Mapping = { identifier_field: null, inbound: null, outbound: null }

/** The mapping after the change; without one that is saved, after the first. */
export function changedMapping(saved: Mapping | null, change: MappingChange): Mapping {
  const { identifier_field, inbound, outbound } = { ...NOTHING, ...saved, ...change }
  return { identifier_field, inbound, outbound }
}

/** How documents that come in are read. */
export type Reading = Pick<Mapping, 'identifier_field' | 'inbound'>

/**
 * The schema of a change of a resource's mapping; `bodies` and `record` are the resource's own schemas. Refuses a rule
 * that can never work, by the name of its target: `inbound.fields.items[].sku_code`.
 */
export function MappingOf(
  resource: Resource,
  bodies: readonly z.core.$ZodType[],
  record: z.core.$ZodType,
) {
  const shape = {
    identifier_field: IdentifierField(resource).nullable().exactOptional(),
    inbound: Rules(
      Inbound,
      'keep',
      (rule) => targetFault(bodies, rule) ?? codeFault(resource, rule),
    )
      .nullable()
      .exactOptional(),
    outbound: Rules(Outbound, 'drop', (rule) => requiredFault(rule) ?? sourceFault(record, rule))
      .nullable()
      .exactOptional(),
  }
  return z
    .looseObject(shape)
    .superRefine((mapping, context) => {
      refuseOthers(mapping, [...Object.keys(shape), ...READ_ONLY], UNKNOWN, context)
      refuseMelting(resource, mapping, context)
    })
    .transform((mapping): MappingChange => {
      const { identifier_field, inbound, outbound } = mapping
      return {
        ...(identifier_field !== undefined && { identifier_field }),
        ...(inbound !== undefined && { inbound }),
        ...(outbound !== undefined && { outbound }),
      }
    })
}

function refuseMelting(
  resource: Resource,
  { identifier_field, inbound }: MappingChange,
  context: z.core.$RefinementCtx,
): void {
  const isNamed = isAddressable(resource) && isIdentifierField(resource, identifier_field ?? '')
  const identifier = isNamed && identifier_field ? readPath(identifier_field) : null
  const { rules } = readRules(inbound?.fields ?? {})
  for (const { rule, message } of meltingFaults(resource, identifier, rules)) {
    context.addIssue({ code: 'custom', path: ['inbound', 'fields', rule], message })
  }
}

/** A mapping that was read can be written back. */
const READ_ONLY = ['resource', 'updated_at']
const UNKNOWN =
  'Unknown here: a mapping has identifier_field, inbound and outbound. "fields" and "unmapped" stand below inbound or outbound.'
const UNKNOWN_BELOW =
  'Unknown here: a direction has only "unmapped", "fields" and, inbound, "none" and "single_as_list". Rules stand below "fields".'

/** What would have no effect may be the rules themselves, in the wrong place. */
function refuseOthers(
  given: object,
  known: readonly string[],
  message: string,
  context: z.core.$RefinementCtx,
): void {
  const others = Object.keys(given).filter((name) => !known.includes(name))
  for (const name of others.slice(0, OTHERS_MAX)) {
    context.addIssue({ code: 'custom', path: [name], message })
  }
}
const OTHERS_MAX = 20

const Inbound = z.enum(['keep', 'drop', 'reject'])
const Outbound = z.enum(['drop', 'keep'])

/** Rules that read a document which is an array drop the rest: it has no fields that could pass through. */
function Rules<Unmapped extends typeof Inbound | typeof Outbound>(
  unmapped: Unmapped,
  usual: z.output<Unmapped>,
  faultOf: (rule: MappingRule) => string | null,
) {
  return z
    .looseObject({
      unmapped: unmapped.optional(),
      none: z.unknown().optional(),
      single_as_list: z.boolean().optional(),
      fields: AnyObject.superRefine((fields, context) => {
        for (const { rule, message } of findFaults(fields, faultOf)) {
          context.addIssue({ code: 'custom', path: [rule], message })
        }
      }),
    })
    .superRefine(({ unmapped: chosen, none, single_as_list, fields, ...others }, context) => {
      refuseOthers(others, [], UNKNOWN_BELOW, context)
      refuseNone(none, unmapped === Inbound, context)
      if (single_as_list !== undefined && unmapped !== Inbound) {
        const message = 'Only "inbound" can have "single_as_list".'
        context.addIssue({ code: 'custom', path: ['single_as_list'], message })
      }
      if (chosen === undefined || chosen === 'drop' || !areForArray(fields)) return
      const message = 'Must be drop: a document that is an array has no fields to keep or reject.'
      context.addIssue({ code: 'custom', path: ['unmapped'], message })
    })
    .transform(({ unmapped: chosen, none, single_as_list, fields }): SavedRules => {
      const assumed = areForArray(fields) ? 'drop' : usual
      return {
        unmapped: chosen ?? assumed,
        ...(none !== undefined && { none: none as SavedRules['none'] & {} }),
        ...(single_as_list !== undefined && { single_as_list }),
        fields: fields as SavedRules['fields'],
      }
    })
}

function refuseNone(none: unknown, isInbound: boolean, context: z.core.$RefinementCtx): void {
  if (none === undefined) return
  try {
    if (!isInbound) throw new RuleError('Only "inbound" can have "none".')
    readNoValues(none)
  } catch (error) {
    if (!(error instanceof RuleError)) throw error
    context.addIssue({ code: 'custom', path: ['none'], message: error.message })
  }
}

function areForArray(fields: Record<string, unknown>): boolean {
  return readRules(fields).rules.some(readsArray)
}

/** A missing field must not fail an answer. */
function requiredFault({ required, steps }: MappingRule): string | null {
  if (steps?.code) return 'An outbound rule cannot have "code": it gives our own codes.'
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
