import * as z from 'zod'
import { RESOURCES } from '../../engine/mapping/identifier.ts'
import { CONVERSION_KINDS } from '../../engine/mapping/saved-rule.ts'
import { OUTCOME_CHANGES } from '../../settings/mappings/replay/replay.ts'
import { named, ShownProblem } from '../components.ts'
import { endpoints, pageOf } from '../endpoint.ts'
import { tooManyFieldsError, unknownRecord, wrong } from '../errors.ts'
import {
  AnyCode,
  AnyTextStep,
  MappingBody,
  PreviewBody,
  ReplayBody,
  TableValue,
} from './mapping-bodies.ts'
import { NO_PARTNER } from './partners.ts'

const NoValueList = z.array(z.union([z.string(), z.number(), z.boolean()]))
const SavedSteps = z.object({
  none: NoValueList.optional(),
  text: z.array(AnyTextStep).optional(),
  values: z.record(z.string(), TableValue).optional(),
  as: z.enum(CONVERSION_KINDS).optional(),
  format: z.string().optional(),
  zone: z.string().optional(),
  decimal: z.literal(',').optional(),
  less: z.array(z.string()).optional(),
  times: z.union([z.string(), z.int()]).optional(),
  at_zero: z.literal('leave_out').optional(),
  default: z.unknown().optional(),
  code: AnyCode.optional(),
  required: z.boolean().optional(),
})

const SavedRule = named(
  'SavedRule',
  z.union([
    z.string(),
    SavedSteps.extend({ from: z.union([z.string(), z.array(z.string())]) }),
    SavedSteps.extend({
      join: z.array(
        z.union([
          z.string(),
          z.object({ value: z.string() }),
          z.object({ pair: z.array(z.string()), with: z.string().optional() }),
        ]),
      ),
      with: z.string().optional(),
    }),
    z.object({ each: z.string(), split: z.string().optional() }),
    z.object({ value: z.unknown() }),
  ]),
)

export const ShownRules = named(
  'MappingRules',
  z.object({
    unmapped: z.enum(['keep', 'drop', 'reject']),
    none: NoValueList.optional(),
    single_as_list: z.boolean().optional(),
    records: named(
      'MappingRecords',
      z.object({ each: z.string(), group_by: z.array(z.string()).optional() }),
    ).optional(),
    first: z.literal(true).optional(),
    csv: named(
      'SavedCsvOptions',
      z.object({ separator: z.string().optional(), header: z.boolean().optional() }),
    ).optional(),
    form: named(
      'SavedFormOptions',
      z.object({ json: z.string().optional(), charset: z.string().optional() }),
    ).optional(),
    xml: named(
      'SavedXmlOptions',
      z.object({ prefixes: z.record(z.string(), z.string()).optional() }),
    ).optional(),
    fields: z.record(z.string(), SavedRule),
  }),
)

const MappingRecord = named(
  'Mapping',
  z.object({
    resource: z.enum(RESOURCES),
    identifier_field: z.string().nullable(),
    inbound: ShownRules.nullable(),
    outbound: ShownRules.nullable(),
    updated_at: z.string(),
  }),
)

const Previewed = z.object({
  mapped: z.record(z.string(), z.unknown()).nullable(),
  problems: z.array(ShownProblem),
  errors: z.array(
    named(
      'PreviewError',
      z.object({
        field: z.string(),
        messages: z.array(z.string()),
        source: z.string().nullable(),
      }),
    ),
  ),
  provenance: z.record(z.string(), z.string().nullable()),
  would_answer: named('WouldAnswer', z.object({ status: z.int(), code: z.string().nullable() })),
})

const PreviewResult = named(
  'PreviewResult',
  Previewed.extend({
    unread: z.array(z.string()),
    item_codes: z
      .record(
        z.string(),
        named('StandsFor', z.object({ record: z.string(), units: z.int().min(1) })),
      )
      .optional(),
    records: z
      .array(
        named(
          'PreviewedRecord',
          Previewed.extend({ index: z.int(), record: z.string().nullable() }),
        ),
      )
      .nullable(),
  }),
)

const DeletedMapping = named('DeletedMapping', z.object({ resource: z.enum(RESOURCES) }))

const MAPPING = {
  identifier_field: 'external_order_id',
  inbound: {
    unmapped: 'drop' as const,
    fields: {
      order_number: { join: [{ value: 'NV-' }, 'header.number'], with: '' },
      external_order_id: { from: 'header.id', as: 'string' as const, required: true },
      'items[]': { each: 'lines[?@.qty > 0]' },
      'items[].sku_code': 'lines[].article.code',
      'items[].quantity': 'lines[].qty',
      'metadata.source': { value: 'nordvik' },
    },
  },
}
const SAVED: z.output<typeof MappingRecord> = {
  resource: 'orders',
  ...MAPPING,
  outbound: null,
  updated_at: '2026-11-21T12:07:50.269Z',
}

const NO_MAPPING = unknownRecord('The partner has no mapping for orders.')

const Difference = named(
  'Difference',
  z.object({ at: z.string(), before: z.string().nullable(), after: z.string().nullable() }),
)

const ReplayResult = named(
  'ReplayResult',
  z.object({
    documents: z.int().min(0),
    same: z.int().min(0),
    changed: z.int().min(0),
    newly_failing: z.int().min(0),
    newly_passing: z.int().min(0),
    unreadable: z.int().min(0),
    truncated: z.boolean(),
    others: z.array(z.object({ request_id: z.string(), kind: z.enum(OUTCOME_CHANGES) })),
    examples: z.array(
      z.object({
        request_id: z.string(),
        kind: z.enum(OUTCOME_CHANGES),
        differences: z.array(Difference),
        faults: z.object({ before: z.array(z.string()), after: z.array(z.string()) }),
      }),
    ),
  }),
)

const REPLAYED: z.output<typeof ReplayResult> = {
  documents: 200,
  same: 163,
  changed: 0,
  newly_failing: 0,
  newly_passing: 37,
  unreadable: 0,
  truncated: false,
  others: [{ request_id: '8d1f0a77-3c53-4b0e-9f21-6f1d2f9ad0c4', kind: 'newly_passing' }],
  examples: [
    {
      request_id: '5f0c1c9e-7d7b-4c39-8a35-0f2b1f6f3f57',
      kind: 'newly_passing',
      differences: [],
      faults: { before: ['lines[0].qty: Must be an integer, not a string.'], after: [] },
    },
  ],
}

export const mappingsReference = endpoints('settings', 'Mappings', {
  'GET /partners/{id}/mappings/': {
    operationId: 'listMappings',
    summary: 'List mappings',
    description: 'Returns the mappings of a partner, at most one for each resource.',
    answer: pageOf('mappings', MappingRecord, SAVED),
    errors: { NOT_FOUND: NO_PARTNER },
  },
  'GET /partners/{id}/mappings/{resource}/': {
    operationId: 'findMapping',
    summary: 'Retrieve a mapping',
    description: 'Returns the mapping as it was saved.',
    answer: { description: 'The mapping.', data: MappingRecord, example: SAVED },
    errors: { NOT_FOUND: NO_MAPPING },
  },
  'PUT /partners/{id}/mappings/{resource}/': {
    operationId: 'saveMapping',
    summary: 'Save a mapping',
    description:
      "Makes the mapping, or changes the one that is saved. A member that is absent stays as it is, and `null` removes it; `inbound` and `outbound` are replaced as a whole. The change takes effect with the next request of the partner's keys. `fields` in the error names each rule that no document could satisfy. A mapping of inventory has no `identifier_field`. A workspace has at most 20 identifier fields besides those that every workspace has; one more returns `SERVICE_ERROR`. You can repeat this request.",
    body: { schema: MappingBody, example: MAPPING },
    answer: { description: 'The mapping.', data: MappingRecord, example: SAVED },
    errors: {
      VALIDATION_ERROR: wrong(
        'inbound.fields.notes',
        'The source has 1 [] and the target 0: write the same number in both, or an index in the source, or "join" to put several values into one text.',
      ),
      SERVICE_ERROR: tooManyFieldsError('identifier_field'),
      NOT_FOUND: NO_PARTNER,
    },
  },
  'DELETE /partners/{id}/mappings/{resource}/': {
    operationId: 'deleteMapping',
    summary: 'Delete a mapping',
    description:
      "Deletes the mapping. From the next request on, the partner's documents of this resource are not mapped.",
    answer: {
      description: 'The resource of the deleted mapping.',
      data: DeletedMapping,
      example: { resource: 'orders' },
    },
    errors: { NOT_FOUND: NO_MAPPING },
  },
  'POST /partners/{id}/mappings/{resource}/preview/': {
    operationId: 'previewMapping',
    summary: 'Try a mapping on a document',
    description:
      'Maps `payload` by the draft in `mapping`, or by the saved mapping, checks the result, and looks up what a POST would: products, locations, and whether the record exists. If your key lacks the scope that the POST needs (`integrations.<resource>.write`), nothing is looked up, and a warning says so. Writes nothing. The status is 200 even if the document is wrong: `problems` says why it cannot be mapped, and then `mapped` is null; `errors` lists what is wrong with the mapped document; `would_answer` is what the request itself would return. Numbers keep their digits.',
    body: {
      schema: PreviewBody,
      example: {
        payload: {
          header: { number: '3002', id: 78 },
          lines: [
            { article: { code: 'FREIGHT' }, qty: 0 },
            { article: { code: 4711 }, qty: 4 },
          ],
        },
        mapping: MAPPING,
      },
    },
    answer: {
      description: 'The mapped document, and what is wrong with it.',
      data: PreviewResult,
      example: {
        mapped: {
          order_number: 'NV-3002',
          external_order_id: '78',
          items: [{ sku_code: 4711, quantity: 4 }],
          metadata: { source: 'nordvik' },
        },
        problems: [],
        errors: [
          {
            field: 'items[0].sku_code',
            messages: ['Must be a string, not a number.'],
            source: 'lines[1].article.code',
          },
        ],
        provenance: {
          order_number: 'header.number',
          external_order_id: 'header.id',
          'items[0].sku_code': 'lines[1].article.code',
          'items[0].quantity': 'lines[1].qty',
          'metadata.source': null,
        },
        would_answer: { status: 400, code: 'VALIDATION_ERROR' },
        unread: ['header.note'],
        records: null,
      },
    },
    errors: {
      VALIDATION_ERROR: wrong('payload', 'This field is required.'),
      NOT_FOUND: NO_PARTNER,
    },
  },
  'POST /partners/{id}/mappings/{resource}/replay/': {
    operationId: 'replayMapping',
    summary: 'Try a mapping on kept documents',
    description:
      'Sends the newest `last` kept documents of POST and PUT, or as many of those between `from` and `to`, through the saved mapping and through the draft in `mapping`, and checks both results as a request is checked, except for what only the database knows. Writes nothing. `documents` is the sum of `same`, `changed` (another record, or refused for another reason), `newly_failing` and `newly_passing`. `unreadable` are those that are not stored, not JSON, or whose result depends on a redacted place. `truncated` is true if there was no time for all of them. At most 20 examples, 5 of a kind; `others` are all further documents whose result would change. Needs `settings.documents.read` as well. A key that is linked to a partner gets 403.',
    body: { schema: ReplayBody, example: { mapping: MAPPING, last: 200 } },
    answer: {
      description: 'What the draft would have changed.',
      data: ReplayResult,
      example: REPLAYED,
    },
    errors: {
      VALIDATION_ERROR: wrong('last', 'Must be at most 1000.'),
      NOT_FOUND: NO_PARTNER,
    },
  },
})
