import type { ZodOpenApiComponentsObject } from 'zod-openapi'
import { LIMIT_DEFAULT, LIMIT_MAX } from '../engine/json/pagination.ts'
import { RESOURCES } from '../engine/mapping/identifier.ts'
import { CSV_ROWS_MAX } from '../requests/audit-log/schema.ts'
import { type ApiArea, ETAG } from './components.ts'

type Parameter = NonNullable<ZodOpenApiComponentsObject['parameters']>[string]

const limit: Parameter = {
  name: 'limit',
  in: 'query',
  description: 'How many records to return at most.',
  schema: { type: 'integer', minimum: 1, maximum: LIMIT_MAX, default: LIMIT_DEFAULT },
}

const csvLimit: Parameter = {
  name: 'limit',
  in: 'query',
  description: `How many records to return at most: ${LIMIT_DEFAULT} without it, and no more than ${LIMIT_MAX}. With \`format=csv\` ${CSV_ROWS_MAX} without it.`,
  schema: { type: 'integer', minimum: 1, maximum: CSV_ROWS_MAX },
}

const cursor: Parameter = {
  name: 'cursor',
  in: 'query',
  description:
    "The previous response's `pagination.next_cursor`. Without it, the list starts with the newest records.",
  schema: { type: 'string' },
}

const feedCursor: Parameter = {
  ...cursor,
  description:
    "The previous response's `pagination.next_cursor`. Send either this or `from`. It belongs to the resources of its feed.",
}

const TEXT = { type: 'string', minLength: 1 }

function inPath(name: string, description: string, schema: object): Parameter {
  return { name, in: 'path', required: true, description, schema }
}

const identifier: Parameter = {
  ...inPath(
    'identifier',
    "The record's identifier, percent-encoded (`A/01` is `A%2F01`): the `order_number` of an order, the `sku` of a product, the `code` of a location, or for a partner's key the field that its settings name. For inventory always a location code or a SKU.",
    TEXT,
  ),
  // By tag: the reference shows each operation that of its own.
  examples: {
    Orders: { value: 'SO-3001' },
    Products: { value: 'MUG-ENAMEL-BLU' },
    Locations: { value: 'D-05/1' },
    Inventory: { value: 'A-01-1' },
  },
}

const id = inPath('id', "The record's `id`.", { type: 'string', format: 'uuid' })

const resource = inPath('resource', 'The resource that the mapping is for.', {
  type: 'string',
  enum: [...RESOURCES],
})

const name: Parameter = {
  ...inPath('name', 'The `name` of the starter or preset.', TEXT),
  // By tag, as those of `identifier`.
  examples: {
    Mappings: { value: 'woocommerce-order' },
    Webhooks: { value: 'woocommerce-orders' },
  },
}

const change: Parameter = {
  ...inPath('change', "The change's `id`.", { type: 'integer', minimum: 1 }),
  example: 27,
}

const code: Parameter = {
  ...inPath('code', "The partner's own number, percent-encoded.", TEXT),
  example: 'K12',
}

const ifMatch: Parameter = {
  name: 'If-Match',
  in: 'header',
  description:
    'Changes the record only if its version is that of this `ETag`, or of one of several with commas between them; otherwise 412 `PRECONDITION_FAILED`. What follows the second dot in an `ETag` does not matter here. `*` means any version. Release 1.0 does not know this header.',
  schema: { type: 'string' },
  example: ETAG,
}

const ifNoneMatch: Parameter = {
  name: 'If-None-Match',
  in: 'header',
  description:
    'The `ETag` of the record as you have it, or several with commas between them. If the record is still so, the answer is 304 without a body. Release 1.0 does not know this header.',
  schema: { type: 'string' },
  example: ETAG,
}

const readAfter: Parameter = {
  name: 'X-Read-After',
  in: 'header',
  description:
    'The `X-Read-After` of the answer to a write: this answer shows that write, also with near reads. Blank counts as absent.',
  schema: { type: 'string' },
  // Importers send examples.
  example: '',
}

const dryRun: Parameter = {
  name: 'dry_run',
  in: 'query',
  description:
    'With `true`, the response is what the request would return at this moment, and nothing has changed. Ids and times in it have the right form and belong to no record. Any value but `true` and `false` is 400. Release 1.0 has no dry run.',
  schema: { type: 'boolean', default: false },
  example: false,
}

/** The settings know no releases. */
const conditions = Object.fromEntries(
  Object.entries({ ifMatch, ifNoneMatch }).map(([name, parameter]) => {
    const description = parameter.description?.replace(
      ' Release 1.0 does not know this header.',
      '',
    )
    return [name, { ...parameter, description }]
  }),
)

/** Parameters that several endpoints have, by area and name. */
export const PARAMETERS: Record<ApiArea, Record<string, Parameter>> = {
  integrations: { limit, cursor, feedCursor, identifier, ifMatch, ifNoneMatch, readAfter, dryRun },
  settings: {
    limit,
    csvLimit,
    cursor,
    id,
    resource,
    name,
    change,
    code,
    ...conditions,
    readAfter,
    dryRun,
  },
}
