import jsonata from 'jsonata'
import objectMapper from 'object-mapper'

// What mapping.ts compares our engine with: each makes the same of a document as its rules.

// It has no fixed values: a default for a field that no document has is one.
const OBJECT_MAP = {
  'header.number': 'order_number',
  'header.id': 'external_order_id',
  'header.dates.ordered': 'order_date',
  'header.dates.wanted': 'due_date',
  'buyer.name': 'customer_name',
  'buyer.address.city': 'customer_info.city',
  'lines[].article.code': 'items[].sku_code',
  'lines[].qty': 'items[].quantity',
  'lines[].text': 'items[].notes',
  none: { key: 'metadata.source', default: 'acme-erp' },
}

const EXPRESSION = jsonata(`{
  "order_number": header.number,
  "external_order_id": header.id,
  "order_date": header.dates.ordered,
  "due_date": header.dates.wanted,
  "customer_name": buyer.name,
  "customer_info": { "city": buyer.address.city },
  "items": [lines.{ "sku_code": article.code, "quantity": qty, "notes": text }],
  "metadata": { "source": "acme-erp" }
}`)

export function byObjectMapper(document: object): object {
  return objectMapper(document, OBJECT_MAP)
}

export function byJsonata(document: object): Promise<unknown> {
  return EXPRESSION.evaluate(document)
}
