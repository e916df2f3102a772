import type { JsonSchema } from './fields.ts'

/**
 * What a field is, where its name does not say all: by component and name, else by name; of a query
 * parameter by `?name`.
 */
export const DESCRIPTIONS: Record<string, string> = {
  id: 'Ours; it never changes.',
  created_at: 'In UTC.',
  updated_at: 'In UTC.',
  is_active: 'False once it is deactivated: lists leave it out then.',
  metadata: 'Whatever you like: at most 65,536 bytes as JSON and 16 levels.',
  notes: 'Free text.',
  source: "With a mapping: by field, its path in the partner's own document.",

  order_number:
    'Unique, and compared exactly. No white space at either end, no control characters.',
  external_order_id: "The caller's own id. It need not be unique.",
  customer_info: 'Address, phone and the like: at most 65,536 bytes as JSON and 16 levels.',
  order_date: 'With offset, without (then UTC), or a date alone. Shown in UTC.',
  due_date: 'With offset, without (then UTC), or a date alone. Shown in UTC.',
  cancelled_at: 'When it was cancelled, in UTC.',
  cancel_reason: 'Why it was cancelled: the first reason that was given.',
  'CancelOrder.reason': 'Why. A reason that was given before is kept.',
  items: 'The lines, in the order in which they were sent.',
  sku_code: 'The SKU of a product that exists.',
  verified_quantity: 'How many of the line have been scanned.',
  verification_status: 'Whether none, some or all of the line have been verified.',
  'OrderItem.sku': 'The product of the line.',
  'UpdateOrder.status': '`shipped` and `cancelled` are final.',

  sku: 'Unique, and compared exactly. It never changes.',
  'CreateProduct.quantity': 'On hand; below 0 for backorders. Stock at locations is counted apart.',
  'UpdateProduct.quantity': 'On hand; below 0 for backorders. Stock at locations is counted apart.',
  'Product.quantity': 'On hand; below 0 for backorders. Stock at locations is counted apart.',
  cost: 'A decimal: at least 0, at most 12 digits before the point and 6 after. Always text in answers.',
  custom_fields:
    'Whatever you like: at most 65,536 bytes as JSON and 16 levels. Replaced as a whole.',

  code: 'Unique, and compared exactly. It never changes.',
  location_code: 'The code of a location that exists.',

  inventory: 'Each row stands for itself: a bad one is told of, and the others are done.',
  'UpsertInventory.source':
    'Where the quantities come from, for the audit log. By default `bulk_import`.',
  'UpsertInventory.notes': 'Free text for the audit log.',
  total: 'Rows that were sent: created, updated and failed ones.',
  created: 'Pairs that there were none of.',
  updated: 'Pairs that there were, also those whose quantity stays the same.',
  failed: 'Rows that had no effect. All are counted.',
  'UploadResult.errors': 'The rows that had no effect, in order; at most 1,000 are listed.',
  row: 'The index into `inventory`, from 0.',
  location_id: 'The `location_code` as it was sent.',
  product_id: 'The `sku_code` as it was sent.',
  'RowError.errors': 'What is wrong, by field of the row.',

  limit: 'As it was asked for.',
  next_cursor: 'The `cursor` of the next page; null on the last one.',
  field: 'As a path: `items[].colour`.',
  'Warning.message': 'Why it had no effect, or what else deserves a look.',
  'Warning.source': "With a mapping: the field's path in the partner's own document.",

  'Error.code': 'What went wrong, for programs.',
  'Error.message': 'What went wrong, for people.',
  'Error.fields': 'What is wrong, by field; a nested one is a path: `items[3].quantity`.',
  problems: 'Why a mapping does not fit the document.',
  detail: 'The message once more.',
  request_id: 'As in `X-Request-Id` and in the audit log.',
  'Problem.reason': 'What does not fit.',
  'Problem.rule': 'The target of the rule that failed.',
  'Problem.at': "A path in the partner's document; in ours, where `source` is given.",
  'Problem.source': "The path in the partner's document.",

  name: 'For people.',
  tenant: 'As in the keys and in the host name.',
  integration_enabled: 'False closes `/api/integrations/` to every key.',
  audit_retention_days: 'How long the audit log is kept: older rows are deleted once a day.',
  settings_version: 'Goes up with every change of settings.',
  hint: 'The beginning and end of the value, to tell keys apart.',
  key: 'The value, shown this once.',
  scopes: 'What the key may do.',
  'CreateApiKey.scopes': 'What the key may do. By default `integrations.*`.',
  partner_id: 'The partner whose mappings and identifiers hold for the key.',
  release:
    'The release of the integrations API that the key is answered in: `current`, or an older one that its client was built against.',
  rate_limit: 'How many requests a minute the key may make. Null: as many as it likes.',
  expires_at: 'From then on the key is refused. Null: never.',
  revoked_at: 'When the key was revoked, in UTC.',
  rotated_from: 'The key that this one took over from.',
  last_used_at:
    'When the key was last used, in UTC, by the audit log. Null: not as far back as that goes.',
  overlap_seconds: 'How long the old key goes on working.',
  'ApiKey.status': 'Whether the key is accepted.',
  'CreatedApiKey.status': 'Whether the key is accepted.',
  default_identifier_field: 'What `{identifier}` means where the resource has such a field.',

  identifier_field:
    "What `{identifier}` means to the partner's keys: a field of the record, or `metadata.<key>` (products: `custom_fields.<key>`).",
  inbound: "From the partner's documents to ours. Null: they are taken as they are.",
  outbound: "From our records to the partner's, in answers. Null: they are shown as they are.",
  unmapped: 'What becomes of top-level fields that no rule reads or writes.',
  'SaveMapping.fields': 'By target path, where its value comes from. At most 200.',
  'MappingRules.fields': 'By target path, where its value comes from.',
  from: "A path in the source: `a.b`, `a[0]`, `a[-1]`, `a[].b`, `['any key']`.",
  required: 'Whether a document without it is refused.',
  value: 'A fixed value: any JSON.',
  payload: 'A document as the partner sends it.',
  'PreviewMapping.method': 'Whose body the document would be.',
  mapping: 'A draft. Without it, the saved mapping is tried.',
  mapped: 'What the mapping makes of the document; null where it fails.',
  'PreviewResult.errors': 'What the check of the mapped document finds; at most 1,000.',
  'PreviewResult.source': "The field's path in the document; null where it has none.",
  provenance: 'By path of a mapped value, its path in the document; null for a fixed one.',

  api_key: 'Whose request it was.',
  partner: 'The partner that the key was linked to.',
  'AuditRow.method': 'Of the request.',
  path: 'Of the request, without its query.',
  'AuditRow.status': 'Of the answer.',
  error_code: 'Of the answer; null of a success.',
  duration_ms: 'How long the answer took.',
  'AuditRow.source': 'Of an upload of quantities.',
  'AuditRow.notes': 'Of an upload of quantities.',
  counts: 'Of an upload of quantities; null of any other request.',

  '?by': 'What the identifier is: a location code or a SKU.',
  '?api_key_id': 'Requests of this key.',
  '?partner_id': 'Requests of keys that were linked to this partner.',
  '?method': 'Requests of this method.',
  '?status': 'A status, `404`, or a class of them, `4xx`.',
  '?error_code': 'Requests that were answered with this error.',
  '?area': 'Calls of the integrations API, of settings, or pages of the dashboard.',
  '?resource': 'Requests below this path.',
  '?request_id': 'The one request with this id.',
  '?from': 'This moment and later.',
  '?to': 'Earlier than this moment.',
}

const UUIDS = new Set(['id', 'request_id', 'partner_id', 'rotated_from'])

interface Response {
  content?: { 'application/json': { schema: JsonSchema } }
}

interface Operation {
  parameters?: JsonSchema[]
  responses: Record<string, Response>
}

/** The parts of a document that are described. */
export interface Described {
  components: { schemas: Record<string, JsonSchema>; responses: Record<string, Response> }
  paths: Record<string, Record<string, Operation>>
}

/** The document with what its fields are, and with the formats that records keep as plain text. */
export function describe(document: Described): object {
  const { components, paths } = document
  for (const [name, schema] of Object.entries(components.schemas)) describeIn(name, schema)
  const operations = Object.values(paths).flatMap((path) => Object.values(path))
  const errors = operations.flatMap(({ responses }) => Object.entries(responses)).filter(isError)
  for (const response of [
    ...Object.values(components.responses),
    ...errors.map(([, one]) => one),
  ]) {
    describeIn('Error', response.content?.['application/json'].schema ?? {})
  }
  for (const parameter of operations.flatMap(({ parameters = [] }) => parameters)) {
    const description = DESCRIPTIONS[`?${parameter.name}`]
    if (description) parameter.description = description
  }
  return document
}

function isError([status]: [string, unknown]): boolean {
  return Number(status) >= 400
}

function describeIn(component: string, schema: JsonSchema): void {
  const {
    properties = {},
    items,
    anyOf = [],
  } = schema as {
    properties?: Record<string, JsonSchema>
    items?: JsonSchema
    anyOf?: JsonSchema[]
  }
  for (const [name, property] of Object.entries(properties)) {
    const description = DESCRIPTIONS[`${component}.${name}`] ?? DESCRIPTIONS[name]
    if (description) property.description = description
    const format = formatOf(name)
    if (format && isPlainText(property)) property.format = format
    describeIn(component, property)
  }
  for (const part of [...anyOf, ...(items ? [items] : [])]) describeIn(component, part)
}

function formatOf(name: string): string | null {
  if (UUIDS.has(name)) return 'uuid'
  return /_(at|date)$/.test(name) ? 'date-time' : null
}

function isPlainText({ type, format }: JsonSchema): boolean {
  return format === undefined && [type].flat().includes('string')
}
