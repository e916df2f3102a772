import * as z from 'zod'
import {
  capitalized,
  exampleOf,
  labelOf,
  type RecordDefinition,
  shownPart,
} from '../../engine/model/record.ts'
import { exportOf } from '../../records/catalogue/export.ts'
import { type Kind, LOCATIONS, PRODUCTS } from '../../records/catalogue/kind.ts'
import { named } from '../components.ts'
import { type Endpoint, type EndpointSpec, endpoint, pageOf } from '../endpoint.ts'
import { because, unknownRecord, wrong } from '../errors.ts'

/** What the reference says of a kind of records in its own words. */
interface Told {
  tag: string
  create: string
  created: string
  list: string
  update: string
  /** The fields of a PUT. */
  change: object
  /** A field of a PUT, and its fault. */
  fault: [field: string, message: string]
  /** Of a look-up by a field whose value several records have. */
  ambiguous: string
}

type Catalogue = ReturnType<typeof catalogueOf>

/** The endpoints of a kind of records, as catalogueRoutes serves them. */
function catalogueEndpoints(kind: Kind, told: Told): Endpoint[] {
  const catalogue = catalogueOf(kind, told)
  return [
    create(catalogue),
    list(catalogue),
    find(catalogue),
    update(catalogue),
    deactivate(catalogue),
  ]
}

function catalogueOf(kind: Kind, told: Told) {
  const { record } = kind
  const example = exampleOf(record)
  const name = String(example[record.key])
  const called = `the ${labelOf(record, record.key)} "${name}"`
  const missing = {
    SERVICE_ERROR: because('AMBIGUOUS_IDENTIFIER', { message: told.ambiguous }),
    NOT_FOUND: unknownRecord(`No ${record.one} has ${called}.`),
  }
  const schemas = schemasOf(record)
  return { ...record, ...schemas, kind, record, told, example, name, called, missing }
}

function endpointOf<Data extends z.ZodType>(
  { told }: Catalogue,
  name: string,
  spec: EndpointSpec<Data>,
) {
  const answer = { ...spec.answer, isShaped: true }
  return endpoint('integrations', told.tag, name, { ...spec, answer })
}

function create(catalogue: Catalogue): Endpoint {
  const { one, many, key, fields, record, told, called, Create, Created } = catalogue
  const sent = Object.keys(Create.shape).filter((name) => fields[name]?.kind !== 'flag')
  return endpointOf(catalogue, `POST /${many}/`, {
    operationId: `create${capitalized(one)}`,
    summary: `Create a ${one}`,
    description: told.create,
    body: { example: exampleOf(record, sent) },
    answer: {
      status: 201,
      description: told.created,
      data: Created,
      example: exampleOf(record, Object.keys(Created.shape)),
    },
    hasRecords: true,
    errors: {
      VALIDATION_ERROR: wrong(key, 'This field is required.'),
      DUPLICATE: because('ALREADY_EXISTS', {
        message: `A ${one} with ${called} already exists.`,
        fields: { [key]: ['Already exists.'] },
      }),
    },
  })
}

function list(catalogue: Catalogue): Endpoint {
  const { many, lists, kind, record, told, example, Summary } = catalogue
  return endpointOf(catalogue, `GET /${many}/`, {
    operationId: `list${capitalized(many)}`,
    summary: `List ${many}`,
    description: told.list,
    answer: {
      ...pageOf(many, Summary, exampleOf(record, lists)),
      exported: { columns: exportOf(kind).columns, records: [example] },
    },
  })
}

function find(catalogue: Catalogue): Endpoint {
  const { one, many, example, missing, Shown } = catalogue
  return endpointOf(catalogue, `GET /${many}/{identifier}/`, {
    operationId: `find${capitalized(one)}`,
    summary: `Retrieve a ${one}`,
    description: `Returns the ${one}, even if it is inactive.`,
    answer: { description: `The ${one}.`, data: Shown, example },
    errors: missing,
  })
}

function update(catalogue: Catalogue): Endpoint {
  const { one, many, told, example, missing, Shown } = catalogue
  return endpointOf(catalogue, `PUT /${many}/{identifier}/`, {
    operationId: `update${capitalized(one)}`,
    summary: `Update a ${one}`,
    description: told.update,
    body: { example: { ...told.change } },
    answer: {
      description: `The updated ${one}.`,
      data: Shown,
      example: { ...example, ...told.change },
    },
    errors: { VALIDATION_ERROR: wrong(...told.fault), ...missing },
  })
}

function deactivate(catalogue: Catalogue): Endpoint {
  const { one, many, key, example, name, missing, Deactivated } = catalogue
  return endpointOf(catalogue, `DELETE /${many}/{identifier}/`, {
    operationId: `deactivate${capitalized(one)}`,
    summary: `Deactivate a ${one}`,
    description: `Sets \`is_active\` to false. The ${one} is kept, but lists leave it out. You can repeat this request.`,
    answer: {
      description: `The deactivated ${one}.`,
      data: Deactivated,
      example: { id: String(example.id), [key]: name, is_active: false },
    },
    errors: missing,
  })
}

/** Names the schemas of a kind of records, and makes those of responses that show less than the whole record. */
function schemasOf(record: RecordDefinition) {
  const { one, key, lists, Create, Update, Shown } = record
  const One = capitalized(one)
  named(`Create${One}`, Create)
  named(`Update${One}`, Update)
  named(One, Shown)
  const part = (name: string, names: string[]) =>
    names.length === Object.keys(Shown.shape).length ? Shown : named(name, shownPart(record, names))
  const state = { id: z.string(), [key]: z.string(), is_active: z.literal(false) }
  return {
    Created: part(`Created${One}`, [...new Set(['id', ...lists])]),
    Summary: part(`${One}Summary`, [...lists]),
    Deactivated: named(`Deactivated${One}`, z.object(state)),
  }
}

export const productsReference = catalogueEndpoints(PRODUCTS, {
  tag: 'Products',
  create:
    'Creates a product. A `sku` that exists, even if inactive, returns 409 `DUPLICATE`. On a retry this means that the first attempt succeeded.',
  created: 'The product.',
  list: 'Returns the active products, newest first; with `is_active` the inactive ones, or all. `without_stock=true` lists those without a record of stock, and looks at 10,000 products for a page. Such a page may end before it is full, even without a record: go on until `next_cursor` is null.',
  update:
    'Replaces the given fields, and `custom_fields` as a whole. `id` and `sku` cannot be changed: other values than the product has return `VALIDATION_ERROR`. `is_active` true reactivates a deactivated product. You can repeat this request.',
  change: { quantity: 38 },
  fault: ['quantity', 'Must be an integer, not a string.'],
  ambiguous: 'Several products have the cost "3.20", so it identifies none of them.',
})

export const locationsReference = catalogueEndpoints(LOCATIONS, {
  tag: 'Locations',
  create:
    'Creates a location. A `code` that exists, even if inactive, returns 409 `DUPLICATE`. On a retry this means that the first attempt succeeded. The response leaves `metadata` out.',
  created: 'The location, without its metadata.',
  list: 'Returns the active locations, newest first; with `is_active` the inactive ones, or all. Unlike other lists, this one shows no `id`: the specification lists its fields. `GET /locations/{code}/` shows it.',
  update:
    'Replaces the given fields. `id` and `code` cannot be changed: other values than the location has return `VALIDATION_ERROR`. `is_active` true reactivates a deactivated location. You can repeat this request.',
  change: { name: 'Overflow' },
  fault: ['zone', 'Must have at most 255 characters.'],
  ambiguous: 'Several locations have the zone "D", so it identifies none of them.',
})
