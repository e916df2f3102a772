import * as z from 'zod'
import { RESOURCES } from '../../engine/mapping/identifier.ts'
import { CONVERSION_KINDS } from '../../engine/mapping/saved-rule.ts'
import { named, ShownProblem } from '../components.ts'
import { endpoints, pageOf } from '../endpoint.ts'
import { because, tooManyFieldsError, wrong } from '../errors.ts'
import { AnyCode, AnyTextStep, MappingBody, PreviewBody, TableValue } from './mapping-bodies.ts'

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

export const MAPPING = {
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

export const NO_PARTNER = because('UNKNOWN_RECORD', {
  message: 'No partner has the id "8f4f5a1e-6a43-4a4f-8f0a-54b1fd5f9a77".',
})
const NO_MAPPING = because('UNKNOWN_RECORD', { message: 'The partner has no mapping for orders.' })

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
})
