import * as z from 'zod'
import { NoFields } from '../../fields.ts'
import { RESOURCES } from '../../mapping/identifier.ts'
import { named, Problem } from '../components.ts'
import { type Endpoint, endpoint, type Telling } from '../endpoint.ts'
import { wrong } from '../errors.ts'
import { MappingBody, PreviewBody } from '../fields.ts'

named('SaveMapping', MappingBody)
named('PreviewMapping', PreviewBody)

const MappingRule = named(
  'MappingRule',
  z.union([
    z.string(),
    z.object({ from: z.string(), required: z.boolean().optional() }),
    z.object({ value: z.unknown() }),
  ]),
)

const SavedRules = named(
  'MappingRules',
  z.object({
    unmapped: z.enum(['keep', 'drop', 'reject']),
    fields: z.record(z.string(), MappingRule),
  }),
)

const MappingRecord = named(
  'Mapping',
  z.object({
    resource: z.enum(RESOURCES),
    identifier_field: z.string().nullable(),
    inbound: SavedRules.nullable(),
    outbound: SavedRules.nullable(),
    updated_at: z.string(),
  }),
)

const PreviewResult = named(
  'PreviewResult',
  z.object({
    mapped: z.record(z.string(), z.unknown()).nullable(),
    problems: z.array(Problem),
    errors: z.array(
      z.object({
        field: z.string(),
        messages: z.array(z.string()),
        source: z.string().nullable(),
      }),
    ),
    provenance: z.record(z.string(), z.string().nullable()),
  }),
)

const DeletedMapping = named('DeletedMapping', z.object({ resource: z.enum(RESOURCES) }))

const MAPPING = {
  identifier_field: 'external_order_id',
  inbound: {
    unmapped: 'drop' as const,
    fields: {
      order_number: 'header.number',
      external_order_id: { from: 'header.id', required: true },
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

const NO_PARTNER = { message: 'No partner has the id "8f4f5a1e-6a43-4a4f-8f0a-54b1fd5f9a77".' }
const NO_MAPPING = { message: 'The partner has no mapping of orders.' }
const AT = '/partners/{id}/mappings/{resource}/'

export const mappings: Endpoint[] = [
  mapping({
    method: 'get',
    path: '/partners/{id}/mappings/',
    operationId: 'listMappings',
    scope: 'settings.read',
    summary: 'List mappings',
    description: 'Those that the partner has: at most one for each resource, not in pages.',
    answer: { description: 'The mappings.', data: z.array(MappingRecord), example: [SAVED] },
    refuses: { NOT_FOUND: NO_PARTNER },
  }),
  mapping({
    method: 'get',
    path: AT,
    operationId: 'findMapping',
    scope: 'settings.read',
    summary: 'Find a mapping',
    description: 'As it was saved.',
    answer: { description: 'The mapping.', data: MappingRecord, example: SAVED },
    refuses: { NOT_FOUND: NO_MAPPING },
  }),
  mapping({
    method: 'put',
    path: AT,
    operationId: 'saveMapping',
    scope: 'settings.write',
    summary: 'Save a mapping',
    description:
      "Replaces the mapping as a whole, from the very next request of the partner's keys on. A rule that no document could satisfy is refused by its name. Inventory takes no `identifier_field`. Safe to repeat.",
    body: { schema: MappingBody, isOptional: true, example: MAPPING },
    answer: { description: 'The mapping.', data: MappingRecord, example: SAVED },
    refuses: {
      VALIDATION_ERROR: wrong(
        'inbound.fields.notes',
        'The source has 1 of [] and the target 0: give both the same, or the source an index.',
      ),
      NOT_FOUND: NO_PARTNER,
    },
  }),
  mapping({
    method: 'delete',
    path: AT,
    operationId: 'deleteMapping',
    scope: 'settings.write',
    summary: 'Delete a mapping',
    description: "The partner's documents of this resource are taken as they are again.",
    body: { schema: NoFields, example: {} },
    answer: {
      description: 'Which mapping was deleted.',
      data: DeletedMapping,
      example: { resource: 'orders' },
    },
    refuses: { NOT_FOUND: NO_MAPPING },
  }),
  mapping({
    method: 'post',
    path: `${AT}preview/`,
    operationId: 'previewMapping',
    scope: 'settings.write',
    summary: 'Try a mapping on a document',
    description:
      'Maps `payload` by `mapping`, a draft, or else by what is saved, and checks the result. Writes nothing. What is wrong is told in the answer, which stays 200: `mapped` is null where the mapping has `problems`, `errors` are those of the check.',
    body: {
      schema: PreviewBody,
      example: {
        payload: {
          header: { number: 'NV-3002', id: 'erp-78' },
          lines: [{ article: { code: 'COF-HUILA-1000' }, qty: '4' }],
        },
        mapping: MAPPING,
      },
    },
    answer: {
      description: 'What would become of the document.',
      data: PreviewResult,
      example: {
        mapped: {
          order_number: 'NV-3002',
          external_order_id: 'erp-78',
          items: [{ sku_code: 'COF-HUILA-1000', quantity: '4' }],
          metadata: { source: 'nordvik' },
        },
        problems: [],
        errors: [
          {
            field: 'items[0].quantity',
            messages: ['Must be an integer, not a string.'],
            source: 'lines[0].qty',
          },
        ],
        provenance: {
          order_number: 'header.number',
          external_order_id: 'header.id',
          'items[0].sku_code': 'lines[0].article.code',
          'items[0].quantity': 'lines[0].qty',
          'metadata.source': null,
        },
      },
    },
    refuses: {
      VALIDATION_ERROR: wrong('payload', 'This field is required.'),
      NOT_FOUND: NO_PARTNER,
    },
  }),
]

function mapping<Body extends z.ZodType, Data extends z.ZodType>(telling: Telling<Body, Data>) {
  return endpoint('settings', 'Mappings', telling)
}
