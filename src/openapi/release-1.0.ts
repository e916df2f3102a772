import { EXPORT } from './endpoint.ts'
import { CONDITIONS, DRY_RUNS, EXPORTS, LISTS, UNKNOWN_PARAMETERS } from './introduction.ts'
import type { Wording } from './release.ts'

/** What the descriptions say of release 1.0, where it differs (src/engine/releases/1.0.ts). */
export const WORDING_1_0: Wording = {
  title: 'Crossdock integrations API, release 1.0',
  // A PUT may cancel, too.
  errorsOf: { updateOrder: 'cancelOrder' },
  texts: [
    [
      'Push and read orders, products, locations and stock, as JSON over HTTPS.',
      'Push and read orders, products, locations and stock, as JSON over HTTPS. This is what a key gets that is pinned to release 1.0; `/api/integrations/v1/openapi.json` describes the current release.',
    ],
    [UNKNOWN_PARAMETERS, ''],
    [
      LISTS,
      `## Lists

Lists return the newest records first. The list of orders has pages, \`limit\` at a time: send
\`pagination.next_cursor\` as \`cursor\` to get the next page, until it is null. The other lists have the newest 100
active records. Filters have no effect.`,
    ],
    [`${EXPORTS}\n\n`, ''],
    [`${CONDITIONS}\n\n`, ''],
    [`${DRY_RUNS}\n\n`, ''],
    [' (of the feed each `record`, of NDJSON each line)', ''],
    [
      'It has [a document of its own](/api/integrations/v1/openapi-1.0.json). It differs from this description as follows:',
      'It differs from the current release as follows:',
    ],
    ['A document that does not fit returns 422', 'A document that does not fit returns 400'],
    [EXPORT, ''],
    [
      ' CSV has the lines of an order as JSON text, or `{"too_large": true, "bytes": …}` if they have more than 524,288 bytes: `GET /orders/{identifier}/` has them. `Accept: text/csv; rows=lines` returns a row for each line of an order instead: the columns of the order, then those of the line with `item_` before their names. A text or an object of the order of more than 4,096 bytes is `{"too_large": true, "bytes": …}` there.',
      '',
    ],
    [
      "the `order_number` of an order, the `sku` of a product, the `code` of a location, or for a partner's key the field that its settings name. For inventory always a location code or a SKU.",
      "for orders, products and locations a value of the field that the partner's settings name. If they name none, or the key has no partner, the answer is 400 `SERVICE_ERROR`. For inventory always a location code.",
    ],
    [
      'newest first: of all, or of those that match the filters. Send one of `status`, `order_number`, `external_order_id` and `partner_id`, a range of `created_at`, or both. Filters take our values, whatever the mapping of a partner says. A list with filters is in order of `created_at`.',
      'newest first.',
    ],
    [
      "`id` and `order_number` cannot be changed: other values than the order's return `VALIDATION_ERROR`. Lines cannot be changed either:",
      '`id` and `order_number` cannot be changed: they have no effect. Lines cannot be changed either:',
    ],
    [
      '`cancelled` cancels the order like DELETE;',
      '`cancelled` cancels the order like DELETE, which returns `SERVICE_ERROR` with status 500 for a shipped order;',
    ],
    [
      'A shipped order returns `SERVICE_ERROR`.',
      'A shipped order returns `SERVICE_ERROR` with status 500.',
    ],
    ...['product', 'location'].map((name): [string, string] => [
      `\`id\` and \`${name === 'product' ? 'sku' : 'code'}\` cannot be changed: other values than the ${name} has return \`VALIDATION_ERROR\`.`,
      `\`id\` and \`${name === 'product' ? 'sku' : 'code'}\` cannot be changed: they have no effect.`,
    ]),
    [' `is_active` true reactivates a deactivated location.', ' `is_active` has no effect.'],
    ...['product', 'location'].map((name): [string, string] => [
      `Returns the active ${name}s, newest first; with \`is_active\` the inactive ones, or all.`,
      `Returns the newest 100 active ${name}s.`,
    ]),
    [
      ' `without_stock=true` lists those without a record of stock, and looks at 10,000 products for a page. Such a page may end before it is full, even without a record: go on until `next_cursor` is null.',
      '',
    ],
    [
      ' With `if_quantity` a row has an effect only if that quantity is stored, so it overwrites no other change.',
      '',
    ],
    [
      ': a row with `if_quantity` that has landed fails when it is repeated, and its error says that its quantity is stored.',
      '.',
    ],
    [
      'Returns the records of all locations, newest first, or those that match all filters. An update does not move a record. `quantity_below` alone is at most 101, and lists by quantity, the lowest first: a record whose quantity changes in between may be missing or appear twice. Beside `location_code` or `sku_code` it takes any number, and compares at most 10,000 of their records for a page. Such a page may end before it is full, even without a record: go on until `next_cursor` is null. If nothing matches, `warnings` names a code that is unknown or inactive. Filters take our codes, whatever the mapping of a partner says.',
      'Returns the newest 100 active records of all locations: their products and locations are active. If much of the newest stock is inactive, older records may be missing; a warning for `data` says so. An update does not move a record.',
    ],
    [
      'Returns all records of a location, or with `by=sku` of a product, newest first and without pages. An unknown code returns an empty array, and a warning with the code `LOCATION_UNKNOWN` or `SKU_UNKNOWN`. Stock at an inactive location, or of an inactive product, comes with a warning `LOCATION_INACTIVE` or `SKU_INACTIVE`.',
      'Returns all records of a location, newest first and without pages. An unknown code returns an empty array, and a warning with the code `LOCATION_UNKNOWN`. Stock at an inactive location comes with a warning `LOCATION_INACTIVE`.',
    ],
    ['Lists leave it out unless they are asked for it.', 'Lists leave it out.'],
    [' Or the cursor of a feed has expired: begin anew.', ''],
  ],
}
