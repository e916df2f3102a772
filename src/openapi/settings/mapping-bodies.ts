import * as z from 'zod'
import { FORMAT_OPTIONS, PREFIXES_MAX, Prefixes } from '../../engine/formats/options.ts'
import { PATH_LENGTH_MAX } from '../../engine/json/path.ts'
import { membersOf } from '../../engine/json/shape.ts'
import { LESS_MAX, TIMES_MAX } from '../../engine/mapping/amount.ts'
import {
  IDENTIFIER_KEY,
  IDENTIFIERS,
  isAddressable,
  RESOURCES,
  type Resource,
} from '../../engine/mapping/identifier.ts'
import { CODE_KINDS } from '../../engine/mapping/item-code.ts'
import { PARTS_MAX, TEXT_LENGTH_MAX } from '../../engine/mapping/members.ts'
import { NO_VALUE_LENGTH_MAX, NO_VALUES_MAX } from '../../engine/mapping/no-values.ts'
import { SEPARATOR_LENGTH_MAX } from '../../engine/mapping/pair.ts'
import { GROUP_PATHS_MAX } from '../../engine/mapping/records.ts'
import { RULES_MAX } from '../../engine/mapping/rules.ts'
import { CONVERSION_KINDS } from '../../engine/mapping/saved-rule.ts'
import { TABLE_VALUES_MAX } from '../../engine/mapping/table.ts'
import { MARK_LENGTH_MAX, MARKS_MAX, PART_MAX, TEXT_STEPS_MAX } from '../../engine/mapping/text.ts'
import { PATTERN_LENGTH_MAX } from '../../engine/mapping/time-pattern.ts'
import { capitalized } from '../../engine/model/record.ts'
import { PreviewMapping, ReplayMapping, SaveMapping } from '../../settings/mappings/schema.ts'
import { named } from '../components.ts'
import { SOURCE_PATH, TARGET_PATH } from '../path-patterns.ts'

// Functions check the rules of a mapping, which JSON schema cannot express. The schemas here give the shape
// of a rule, the syntax of a path and the identifiers of a resource, but not the syntax of a filter, which
// fields a resource has or which rules contradict each other.

const Target = named('TargetPath', path(TARGET_PATH))
const Source = named('SourcePath', path(SOURCE_PATH))

const Sources = z.union([Source, z.array(Source).min(1).max(PARTS_MAX)])
const between = z.string().max(SEPARATOR_LENGTH_MAX)
const Part = z.union([
  Source,
  z.strictObject({ value: z.string().max(TEXT_LENGTH_MAX) }),
  named(
    'PairPart',
    z.strictObject({ pair: z.array(Source).min(2).max(2), with: between.default(': ') }),
  ),
])
const Each = named(
  'EachRule',
  z.strictObject({ each: Source, split: z.string().min(1).max(SEPARATOR_LENGTH_MAX).optional() }),
)
const Fixed = named('FixedRule', z.strictObject({ value: z.unknown() }))

export const TableValue = z.union([
  z.string(),
  z.number(),
  z.boolean(),
  z.null(),
  z.strictObject({ as: z.literal('is') }),
])
const Mark = z.string().min(1).max(MARK_LENGTH_MAX)
const strict = z.boolean().optional()
export const AnyCode = z.union([
  z.enum(CODE_KINDS),
  z.strictObject({ of: z.enum(CODE_KINDS), or_own: z.boolean().optional() }),
])
export const AnyTextStep = named(
  'TextStep',
  z.union([
    z.literal('trim'),
    z.strictObject({ after: Mark, strict }),
    z.strictObject({ before: Mark, strict }),
    z.strictObject({ after_last: Mark, strict }),
    z.strictObject({ before_last: Mark, strict }),
    z.strictObject({ without: z.array(Mark).min(1).max(MARKS_MAX), strict }),
    z.strictObject({ part: z.int().min(-PART_MAX).max(PART_MAX), of: Mark, strict }),
  ]),
)

const NoValue = z.union([z.string().min(1).max(NO_VALUE_LENGTH_MAX), z.number(), z.boolean()])
const none = z.array(NoValue).min(1).max(NO_VALUES_MAX).optional()

const single_as_list = z.boolean().optional()
const prefixes = Prefixes.meta({ override: { maxProperties: PREFIXES_MAX } })
const formats = {
  csv: named('CsvOptions', FORMAT_OPTIONS.csv).optional(),
  form: named('FormOptions', FORMAT_OPTIONS.form).optional(),
  xml: named('XmlOptions', z.strictObject({ prefixes: prefixes.optional() })).optional(),
}
const records = z
  .strictObject({
    each: Source,
    group_by: z.array(Source).min(1).max(GROUP_PATHS_MAX).optional(),
  })
  .optional()
const first = z.boolean().optional()

const STEPS = {
  none,
  text: z.array(AnyTextStep).min(1).max(TEXT_STEPS_MAX).optional(),
  values: z
    .record(z.string().min(1), TableValue)
    .meta({ override: { minProperties: 1, maxProperties: TABLE_VALUES_MAX } })
    .optional(),
  as: z.enum(CONVERSION_KINDS).optional(),
  format: z.string().min(1).max(PATTERN_LENGTH_MAX).optional(),
  zone: z.string().optional(),
  decimal: z.literal(',').optional(),
  less: z.array(Source).max(LESS_MAX).optional(),
  times: z.union([Source, z.int().min(1).max(TIMES_MAX)]).optional(),
  at_zero: z.literal('leave_out').optional(),
  default: z
    .unknown()
    .meta({ override: { not: { enum: [null, ''] } } })
    .optional(),
}

const OF_DATETIME = { properties: { as: { const: 'datetime' } }, required: ['as'] }
const OF_INTEGER = { properties: { as: { const: 'integer' } }, required: ['as'] }

/** What JSON schema says of members that depend on each other. */
const DEPENDENT = {
  dependentSchemas: {
    format: OF_DATETIME,
    zone: OF_DATETIME,
    decimal: { properties: { as: { enum: ['decimal', 'integer'] } }, required: ['as'] },
    less: OF_INTEGER,
    times: OF_INTEGER,
    at_zero: OF_INTEGER,
    default: { properties: { required: { const: false } } },
  },
}

const MappingRule = named('MappingRule', ruleOf('', z.boolean(), { code: AnyCode.optional() }))
const OutboundRule = named('OutboundRule', ruleOf('Outbound', z.literal(false), {}))

const bodies = RESOURCES.map((resource) => {
  const mapping = mappingOf(resource)
  return {
    mapping,
    preview: previewOf(resource, mapping),
    replay: replayOf(resource, mapping),
  }
})

/** One schema for each resource: a schema cannot depend on the path. */
export const MappingBody = z.union(bodies.map(({ mapping }) => mapping))
export const PreviewBody = z.union(bodies.map(({ preview }) => preview))
export const ReplayBody = z.union(bodies.map(({ replay }) => replay))

function ruleOf(prefix: string, required: z.ZodType<boolean>, more: { code?: z.ZodType }) {
  const steps = { ...STEPS, ...more, required: required.optional() }
  const parts = z.array(Part).min(1).max(PARTS_MAX)
  const path = { not: { type: 'object' as const, required: ['value'] } }
  const join = parts.meta({ override: { contains: path } })
  const separator = between.default(' ')
  return z.union([
    Source,
    named(`${prefix}FromRule`, z.strictObject({ from: Sources, ...steps }), DEPENDENT),
    named(`${prefix}JoinRule`, z.strictObject({ join, with: separator, ...steps }), DEPENDENT),
    Each,
    Fixed,
  ])
}

function mappingOf(resource: Resource) {
  const members = membersOf(SaveMapping(resource))
  return named(
    `Save${capitalized(resource)}Mapping`,
    z.strictObject({
      identifier_field: identifierFieldOf(resource).optional(),
      inbound: rulesOf(members.inbound, MappingRule, {
        none,
        single_as_list,
        ...(isAddressable(resource) && { records }),
        first,
        ...formats,
      }),
      outbound: rulesOf(members.outbound, OutboundRule),
      resource: z.unknown().optional(),
      updated_at: z.unknown().optional(),
    }),
  )
}

function previewOf(resource: Resource, mapping: z.ZodType) {
  const { content_type, method, headers, query } = PreviewMapping(resource).shape
  return named(
    `Preview${capitalized(resource)}Mapping`,
    z.object({
      payload: z.union([z.record(z.string(), z.unknown()), z.array(z.unknown()), z.string()]),
      content_type,
      method,
      headers,
      query,
      mapping: mapping.optional(),
    }),
  )
}

function replayOf(resource: Resource, mapping: z.ZodType) {
  return named(
    `Replay${capitalized(resource)}Mapping`,
    z.object({ ...ReplayMapping(resource).shape, mapping: mapping.optional() }),
  )
}

function rulesOf<Rule extends z.ZodType>(
  direction: z.core.$ZodType = z.never(),
  rule: Rule,
  more: {
    none?: typeof none
    single_as_list?: typeof single_as_list
    records?: typeof records
    first?: typeof first
  } & Partial<typeof formats> = {},
) {
  const { unmapped = z.never() } = membersOf(direction)
  const fields = z.record(Target, rule).meta({ override: { maxProperties: RULES_MAX } })
  return z
    .strictObject({ unmapped, ...more, fields })
    .nullable()
    .optional()
}

function identifierFieldOf(resource: Resource): z.ZodType<string | null> {
  if (!isAddressable(resource)) return z.null()
  const { fields, object } = IDENTIFIERS[resource]
  const pattern = String.raw`^(?:${fields.join('|')}|${object}\.${IDENTIFIER_KEY})$`
  return z.string().regex(new RegExp(pattern, 'u')).nullable()
}

function path(pattern: string) {
  return z.string().max(PATH_LENGTH_MAX).regex(new RegExp(pattern))
}
