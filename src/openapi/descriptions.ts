import type * as z from 'zod'
import { capitalized, labelOf, type RecordDefinition } from '../engine/model/record.ts'
import { RECORDS } from '../engine/model/records.ts'
import { Person } from '../settings/api-keys/people/schema.ts'
import { ApiKey } from '../settings/api-keys/schema.ts'
import { Webhook } from '../settings/api-keys/webhooks/schema.ts'
import { Partner } from '../settings/partners/schema.ts'
import { Workspace } from '../settings/workspace/schema.ts'
import type { JsonSchema } from './fields.ts'
import { DELIVERY_DESCRIPTIONS, STOCK_DESCRIPTIONS } from './integrations/descriptions.ts'
import { SETTINGS_DESCRIPTIONS } from './settings/descriptions.ts'
import { MAPPING_DESCRIPTIONS } from './settings/mapping-descriptions.ts'

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
  ['Person', Person],
  ['Partner', Partner],
  ['Webhook', Webhook],
])

/** The components with fields of a definition: `CreateOrder`, `Order`, `OrderSummary`. */
const COMPONENT = /^(?:Created?|Update|Deactivated)?(\w+?)(?:Summary)?$/

/** Components whose fields mean what those of another mean, unless they have words of their own. */
const LIKE: Record<string, string> = {
  RecordError: 'Error',
  LoggedRequest: 'AuditRow',
  SettingsChangeInFull: 'SettingsChange',
  WaitingDelivery: 'ListedDelivery',
  PreviewedRecord: 'RecordResult',
  LocationCode: 'ProductCode',
  DeletedItemCode: 'ProductCode',
  JoinRule: 'FromRule',
  OutboundFromRule: 'FromRule',
  OutboundJoinRule: 'FromRule',
  SavedRule: 'FromRule',
  SavedCsvOptions: 'CsvOptions',
  SavedFormOptions: 'FormOptions',
  SavedXmlOptions: 'XmlOptions',
  ReplayProductsMapping: 'ReplayOrdersMapping',
  ReplayLocationsMapping: 'ReplayOrdersMapping',
  ReplayInventoryMapping: 'ReplayOrdersMapping',
}

/**
 * Descriptions of fields whose name does not say enough. The key is the field's name, or component and name
 * where one component differs; `?name` for a query parameter, or operation and `?name`.
 */
export const DESCRIPTIONS: Record<string, string> = {
  ...STOCK_DESCRIPTIONS,
  ...DELIVERY_DESCRIPTIONS,
  ...SETTINGS_DESCRIPTIONS,
  ...MAPPING_DESCRIPTIONS,
  id: 'Our id of the record. It never changes.',
  created_at: 'When the record was created, in UTC.',
  updated_at: 'When the record was last changed, in UTC.',
  notes: 'Free text.',
  source: "With a mapping: the path of each field in the partner's own document.",

  'CancelOrder.reason': 'Why the order is cancelled. Only the first cancellation sets it.',
  items: 'The order lines, in the order in which they were sent.',
  sku_code: 'The SKU of an existing product.',
  verified_quantity: 'How many units of the line have been verified.',
  verification_status:
    '`pending` if no unit of the line is verified, `partial` if some are, `verified` if all are.',
  'OrderItem.sku': "The line's product.",
  'UpdateOrder.status': 'The new status. `shipped` and `cancelled` are final.',

  location_code: 'The code of an existing location.',
  if_quantity:
    'What must be stored for the row to have an effect: a quantity, or `null` for no record yet. Otherwise the row is an error, and the others are still applied. Without this field the row always has an effect.',

  limit: 'The `limit` of the request, or the default.',
  next_cursor: 'The `cursor` of the next page; null on the last page.',
  'FeedPagination.next_cursor': 'The `cursor` of the next page; never null.',
  has_more: 'Whether to ask for the next page at once. It may be empty.',
  'Change.resource': 'What the record is.',
  'SettingsChange.id': 'A number that rises with each change.',
  'SettingsChange.kind':
    'What has changed: a key or webhook, a partner, a mapping or the workspace.',
  'SettingsChange.record_id':
    'The id of the key, webhook or partner; for a mapping, of its partner; for the workspace, the tenant.',
  'SettingsChange.resource': 'The resource of a mapping; null for all else.',
  'SettingsChange.name':
    'The name of the key, partner or workspace after the change; for a mapping, of its partner.',
  'SettingsChange.action': 'Whether the record was created, changed or deleted.',
  'SettingsChange.fields': 'The fields that differ.',
  'SettingsChange.request_id':
    'The request that made the change. Null if an operator made it in the database.',
  'SettingsChange.api_key_id': 'The key of that request.',
  'SettingsChange.api_key_name': 'The name that the key had.',
  'SettingsChange.source':
    'Whether the change came by the API, by the dashboard, or from an operator.',
  'SettingsChangeInFull.before':
    'The record before the change. Null for a new one, and where both together are too large to be kept.',
  'SettingsChangeInFull.after': 'The record after the change. Null for a deleted mapping.',
  'listSettingsChanges?kind': 'Only changes of records of this kind.',
  'listSettingsChanges?record_id':
    'Only changes of the key, partner or mappings of the partner with this id.',
  'listSettingsChanges?resource': 'Only changes of mappings of this resource.',
  'listSettingsChanges?api_key_id': 'Only changes that this key has made.',
  'listSettingsChanges?from': 'Only changes at this moment or later.',
  'listSettingsChanges?to': 'Only changes before this moment.',
  'Change.request_id':
    'The request that changed the record last, as in the audit log. Null if it has not changed since there is a feed.',
  changed_at:
    'When that request came, in UTC. Null for stock that has not changed since there is a feed.',
  record: "The record as it is now, in the partner's outbound mapping if there is one.",
  searched_to:
    'Null, or the moment down to which this page has searched: it stopped there before it was full, because it had compared 100,000 rows. Such a page may be empty: continue with `next_cursor`.',
  complete_since: 'The moment since which the history is complete, in UTC.',
  field: 'The field as a path: `items[].colour`.',
  'Warning.field': 'The field as a path, `items[].colour`, or the name of a query parameter.',
  'Warning.message': 'Why the field had no effect, or what else to check.',
  'Warning.source': "With a mapping: the field's path in the partner's own document.",
  'Warning.code': 'Where a program may have to act on the warning: what it is about.',
  'Warning.differences':
    'Of `LINES_DIFFER`: where the lines of the body differ from those of the order. At most 20 are listed.',
  stored: 'What the order has; null for a line or a value that it does not have.',
  sent: 'What the body has; null for a line or a value that it does not have.',

  'RecordsResult.total': 'How many records the document has.',
  'RecordsResult.created': 'How many were created.',
  'RecordsResult.updated': 'How many were changed: none, for keys.',
  'RecordsResult.unchanged':
    'How many are stored already as the document says. They have no row in the audit log.',
  'RecordsResult.skipped': 'How many were left out on purpose: none, for keys.',
  'RecordsResult.failed': 'How many were refused, each as a request of its own would be.',
  not_tried: 'How many were left for the next request: send the same document again.',
  'RecordsResult.results': 'What became of each record, in the order of the document.',
  'RecordResult.index': 'The number of the record in the document, from 0.',
  'RecordResult.status': 'What became of it.',
  'RecordResult.record': 'The order number, SKU or location code; null if the document gives none.',
  'RecordResult.id': 'The id of the record.',
  'RecordResult.error': 'Why it failed.',
  'RecordResult.warnings': 'What had no effect, or is to be checked.',

  'Error.code': 'What went wrong, for programs.',
  'Error.reason':
    'Which of its causes the error has. Absent if its code has one cause, or if `fields` says it.',
  'Error.message': 'What went wrong, for people.',
  'RecordError.reason': 'Which of its causes the error has.',
  'RecordError.fields': 'The messages for each wrong field.',
  'Error.fields':
    'The messages for each wrong field. A nested field is a path: `items[3].quantity`.',
  problems: 'Why the mapping does not fit the document.',
  detail: 'The same text as `error.message`.',
  request_id: 'The id of the request, as in `X-Request-Id` and the audit log.',
  'Problem.reason': 'What does not fit.',
  'Problem.rule': 'The target of the rule that failed.',
  'Problem.expected': 'What the mapping expects: a kind, a length or a limit.',
  'Problem.found': 'What the document has, shortened.',
  'Problem.unit':
    'For `TOO_LARGE`: what `expected` counts. `steps` are elements that filters and joins look at, and parts of long texts.',
  'Problem.at':
    "The path in the partner's document, or, if there is a `source`, in the mapped document.",
  'Problem.source': "The path in the partner's document.",

  name: 'A name for people to read.',
  keep_documents:
    "Which documents are kept: what keys sent with POST, PUT or DELETE, and what was answered. Null: none. A partner's setting holds for its keys, the workspace's for keys without a partner.",
  of: '`errors`: of refused requests and of uploads with failed rows. `all`: of all requests.',
  days: 'How many days a document is kept.',
  redact:
    'Paths in the document as sent, whose values are replaced before it is stored: `customer.email`, `lines[].note`, `$[].x`. No filters; together at most 8,192 bytes as JSON.',
  key: "The key's value. Only this response shows it; null in a dry run.",
  'CreateApiKey.scopes': 'What the key may do. The default is `integrations.*`.',
  overlap_seconds: 'How many seconds what is replaced keeps working.',

  api_key: 'The key that sent the request.',
  partner: 'The partner that the key was linked to.',
  'AuditRow.method': "The request's method.",
  path: "The request's path, without its query.",
  'AuditRow.status': "The response's status.",
  error_code: 'The error code in the response; null for a success.',
  record_name:
    'The order number, SKU or location code that the request was about; of a refused request, as it was sent. Of an undo of an upload it is the id of the upload. Null for lists, uploads and settings.',
  'AuditRow.message': 'Why the request failed, or how many rows of an upload; else null.',
  details:
    'What was at fault: `fields`, `problems`, or the first failed rows of an upload. It holds no values of the document besides order numbers, SKUs, location codes and statuses: of others it tells kind and length. `truncated` if there were more than fit, with their `total`.',
  'LoggedRequest.errors': 'The first failed rows of an upload.',
  unchanged:
    'Of a document with several records: how many were there already, with the same values.',
  'LoggedRequest.records': 'The first refused records of a document with several.',
  truncated: 'True if there were more than are listed.',
  'LoggedRequest.total': 'How many there were.',
  'LoggedRequest.row': 'The index of the row in the upload, or of the record in the document.',
  duration_ms: 'How many milliseconds the response took.',
  'AuditRow.source': 'The `source` of an upload of quantities; else null.',
  'AuditRow.notes': 'The `notes` of an upload of quantities; else null.',
  counts:
    'The row counts of an upload of quantities, or the numbers of records in a document with several, where those that were not tried count as failed; else null.',

  '?reason': 'Only attempts that were refused for this reason.',
  'listOrders?status':
    'Only orders with this status, or with one of up to 4, with commas between them: `pending,in_progress`.',
  'listOrders?partner_id': 'Only orders that keys of this partner have created.',
  '?order_number': 'Only the order with this number, compared exactly.',
  '?external_order_id': 'Only orders with this id, compared exactly.',
  '?created_from': 'Only orders that were created at this moment or later.',
  '?created_to': 'Only orders that were created before this moment.',
  '?is_active': 'Whether to list active records, inactive ones, or `all`.',
  '?without_stock':
    'Only products without a record of stock at any location: not those with a quantity of 0.',
  '?location_code': 'Only records of this location.',
  '?sku_code': 'Only records of this product.',
  '?quantity_below':
    'Only records with less than this quantity. Without a code it is at most 101, and the list is in order of the quantity.',
  '?by': 'Whether the identifier is a location code or a SKU.',
  '?api_key_id': 'Only requests of this key.',
  '?partner_id': 'Only requests of keys that were linked to this partner.',
  '?method': 'Only requests with this method.',
  '?status':
    'Only responses with this status, such as `404`, of this class, such as `4xx`, or `failed`: 400 and above.',
  '?error_code': 'Only responses with this error code.',
  '?area': 'Only requests to the integrations API, webhooks, the settings API or the dashboard.',
  '?resource': 'Only requests to this resource.',
  '?request_id': 'Only the request with this id.',
  '?sender_id': 'Only deliveries to which their sender gave this id.',
  '?outcome': 'Only deliveries that have come to this.',
  '?record_name': 'Only requests about the record with this order number, SKU or location code.',
  '?dry_run': 'Only dry runs, or only other requests.',
  '?record_name_prefix':
    'Only requests about records whose name begins so, in exact case. They are ordered by name, descending.',
  '?field':
    'Only requests with an error about this field, ours or the partner’s: `items[].quantity` also finds `items[3].quantity`.',
  '?format': 'Whether to return JSON or CSV.',
  'listChanges?from':
    'Where the feed begins: before the first record, or after all that has changed by now. Send either this or `cursor`.',
  'listChanges?resource':
    'The resources to follow, with commas between them: `orders,inventory`. Without it, all that the key may read when the feed begins.',
  '?wait': 'How many seconds to wait for a change if there is none, from 0 to 30.',
  'listDeliveries?from': 'Only deliveries that came at this moment or later.',
  'listDeliveries?to': 'Only deliveries that came before this moment.',
  '?from': 'Only requests at this moment or later.',
  '?to': 'Only requests before this moment.',
}

/** A path to a moment. */
const NO_MOMENTS = new Set(['WebhookRules.changed_at'])

const UUIDS = new Set(['id', 'request_id', 'partner_id', 'rotated_from'])

interface Response {
  content?: { 'application/json': { schema: JsonSchema } }
}

interface Operation {
  operationId: string
  parameters?: JsonSchema[]
  responses: Record<string, Response>
}

/** The parts of a document that get descriptions. */
export interface Described {
  components: { schemas: Record<string, JsonSchema>; responses: Record<string, Response> }
  paths: Record<string, Record<string, Operation>>
}

/** Adds the descriptions of fields and parameters, and the formats of text that zod does not give. */
export function describe(document: Described): object {
  const { components, paths } = document
  // What zod-openapi calls `TextStepOutput` is a TextStep in a response.
  for (const [name, schema] of Object.entries(components.schemas)) {
    describeIn(name.replace(/Output$/, ''), schema)
  }
  const operations = Object.values(paths).flatMap((path) => Object.values(path))
  const errors = operations.flatMap(({ responses }) => Object.entries(responses)).filter(isError)
  for (const response of [
    ...Object.values(components.responses),
    ...errors.map(([, one]) => one),
  ]) {
    describeIn('Error', response.content?.['application/json'].schema ?? {})
  }
  for (const { operationId, parameters = [] } of operations) {
    for (const parameter of parameters) {
      const name = `?${parameter.name}`
      const description =
        DESCRIPTIONS[operationId + name] ??
        DESCRIPTIONS[name] ??
        aboutFilter(operationId, String(parameter.name))
      if (description) parameter.description = description
    }
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
    const description =
      DESCRIPTIONS[`${component}.${name}`] ??
      DESCRIPTIONS[`${LIKE[component] ?? component}.${name}`] ??
      aboutField(component, name) ??
      DESCRIPTIONS[name]
    if (description) property.description = description
    const format = NO_MOMENTS.has(`${component}.${name}`) ? null : formatOf(name)
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

/** What a filter of a list does: `listLocations` and `code`. */
function aboutFilter(operationId: string, name: string): string | undefined {
  const record: RecordDefinition | undefined = Object.values(RECORDS).find(
    ({ many }) => operationId === `list${capitalized(many)}`,
  )
  if (!record?.filters.includes(name)) return undefined
  const { one, many, key } = record
  const which = name === key ? `the ${one}` : many
  return `Only ${which} with this ${labelOf(record, name)}, compared exactly.`
}

/** What its definition says of a component's field. */
function aboutField(component: string, name: string): string | undefined {
  return DEFINITIONS.get(COMPONENT.exec(component)?.[1])?.fields[name]?.about
}
