import * as z from 'zod'
import { FORMAT_OPTIONS, type FormatOptions, formatOptionsIn } from '../formats/options.ts'
import { byName } from '../json/by-name.ts'
import { AnyObject } from '../json/fields.ts'
import { isObject } from '../json/json-object.ts'
import { readPath } from '../json/path.ts'
import { codeFault } from './coded-places.ts'
import { findFaults } from './compile.ts'
import { IDENTIFIERS, isAddressable, isIdentifierField, type Resource } from './identifier.ts'
import { readNoValues } from './no-values.ts'
import { pointerOfRecords } from './pointer.ts'
import { inWords, type RecordRules, readRecordRules } from './records.ts'
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
      refuseRecords(resource, mapping, context)
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

function refuseRecords(
  resource: Resource,
  { inbound }: MappingChange,
  context: z.core.$RefinementCtx,
): void {
  if (isAddressable(resource) || inbound?.records === undefined) return
  const message =
    'Not for inventory: one document is one upload. "inventory[]": {"each": path} says which rows it has.'
  context.addIssue({ code: 'custom', path: ['inbound', 'records'], message })
}

function refuseMelting(
  resource: Resource,
  { identifier_field, inbound }: MappingChange,
  context: z.core.$RefinementCtx,
): void {
  const isNamed = isAddressable(resource) && isIdentifierField(resource, identifier_field ?? '')
  const identifier = isNamed && identifier_field ? readPath(identifier_field) : null
  const records = recordsIn(inbound?.records)
  const { rules } = readRules(inbound?.fields ?? {}, records)
  for (const { rule, message } of meltingFaults(resource, identifier, rules)) {
    const path = ['inbound', 'fields', rule]
    context.addIssue({ code: 'custom', path, message: inWords(records, message) })
  }
}

/** A mapping that was read can be written back. */
const READ_ONLY = ['resource', 'updated_at']
const UNKNOWN =
  'Unknown here: a mapping has identifier_field, inbound and outbound. "fields" and "unmapped" stand below inbound or outbound.'
const UNKNOWN_BELOW =
  'Unknown here: a direction has only "unmapped", "fields" and, inbound, "none", "single_as_list", "records", "first", "csv", "form" and "xml". Rules stand below "fields".'

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

const INBOUND_MEMBERS = [
  'none',
  'single_as_list',
  'records',
  'first',
  'csv',
  'form',
  'xml',
] as const
/** What reads each of them that is no option of a format. Throws RuleError. */
const READERS = {
  none: readNoValues,
  single_as_list: booleanFor('single_as_list'),
  records: savedRecords,
  first: booleanFor('first'),
}

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
      ...byName(INBOUND_MEMBERS, () => z.unknown().optional()),
      fields: AnyObject,
    })
    .superRefine(
      ({ fields, records }, context) => {
        const read = recordsIn(records)
        // Faulty ones are told by themselves: without them, rules cannot be judged.
        if (records !== undefined && read === null) return
        for (const { rule, message } of findFaults(fields, faultOf, read)) {
          context.addIssue({ code: 'custom', path: ['fields', rule], message })
        }
      },
      // Whatever else is wrong.
      { when: ({ value }) => isObject(value) && isObject(value.fields) },
    )
    .superRefine(({ unmapped: chosen, fields, ...members }, context) => {
      const isInbound = unmapped === Inbound
      const { records } = members
      refuseOthers(members, INBOUND_MEMBERS, UNKNOWN_BELOW, context)
      for (const [name, read] of Object.entries(READERS)) {
        refuseMember(name, members[name], isInbound, context, read)
      }
      refuseOptions(members, isInbound, context)
      const reason = records === undefined ? 'that is an array' : 'of several records'
      if (chosen === undefined || chosen === 'drop' || !dropsOthers(fields, records)) return
      const message = `Must be drop: a document ${reason} has no fields to keep or reject.`
      context.addIssue({ code: 'custom', path: ['unmapped'], message })
    })
    .transform(({ unmapped: chosen, fields, ...members }): SavedRules => {
      const { none, single_as_list, records, first } = members
      const assumed = dropsOthers(fields, records) ? 'drop' : usual
      return {
        unmapped: chosen ?? assumed,
        ...(none !== undefined && { none: none as SavedRules['none'] & {} }),
        ...(typeof single_as_list === 'boolean' && { single_as_list }),
        ...(records !== undefined && { records: records as SavedRules['records'] & {} }),
        ...(first === true && { first }),
        ...formatOptionsIn(members as FormatOptions),
        fields: fields as SavedRules['fields'],
      }
    })
}

function refuseOptions(
  given: Record<string, unknown>,
  isInbound: boolean,
  context: z.core.$RefinementCtx,
): void {
  for (const [name, schema] of Object.entries(FORMAT_OPTIONS)) {
    const value = given[name]
    refuseMember(name, value, isInbound, context, () => value)
    const issues = (isInbound && schema.optional().safeParse(value).error?.issues) || []
    for (const { message, path } of issues) {
      context.addIssue({ code: 'custom', path: [name, ...path], message })
    }
  }
}

function refuseMember(
  name: string,
  value: unknown,
  isInbound: boolean,
  context: z.core.$RefinementCtx,
  read: (value: unknown) => unknown,
): void {
  if (value === undefined) return
  try {
    if (!isInbound) throw new RuleError(`Only "inbound" can have "${name}".`)
    read(value)
  } catch (error) {
    if (!(error instanceof RuleError)) throw error
    context.addIssue({ code: 'custom', path: [name], message: error.message })
  }
}

function booleanFor(name: string) {
  return (value: unknown): void => {
    if (typeof value !== 'boolean') throw new RuleError(`"${name}" must be true or false.`)
  }
}

function savedRecords(value: unknown): void {
  const pointer = pointerOfRecords(value)
  if (pointer !== null) throw new RuleError(pointer)
  readRecordRules(value)
}

/** Null if they have a fault, which is told by itself. */
function recordsIn(saved: unknown): RecordRules | null {
  if (saved === undefined) return null
  try {
    return readRecordRules(saved)
  } catch (error) {
    if (error instanceof RuleError) return null
    throw error
  }
}

/** Whether the document's own fields cannot be those of a record. */
function dropsOthers(fields: Record<string, unknown>, records: unknown): boolean {
  return records !== undefined || readRules(fields).rules.some(readsArray)
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
