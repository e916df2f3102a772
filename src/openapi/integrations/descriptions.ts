/** As DESCRIPTIONS, of stock. */
export const STOCK_DESCRIPTIONS: Record<string, string> = {
  inventory: 'The rows. A bad row is reported, and the others are still applied.',
  'UpsertInventory.source':
    'Where the quantities come from, for the audit log. The default is `bulk_import`.',
  'UpsertInventory.notes': 'Free text for the audit log.',
  total: 'How many rows were sent: `created` + `updated` + `failed`.',
  created: 'How many (location, product) pairs were created.',
  updated: 'How many rows set an existing pair, even to the same quantity.',
  failed: 'How many rows had no effect, including those that `errors` does not list.',
  'UploadResult.errors': 'The rows that had no effect, in order. At most 1,000 are listed.',
  row: "The row's index in `inventory`, from 0.",
  'StockChange.from': 'The quantity before; null if the request created the record.',
  'StockChange.to': 'The quantity after.',
  'StockChange.changed_at': 'When the request came in, in UTC.',
  'StockChange.request_id': 'The id of the request, as in the audit log.',
  'StockChange.source': 'The `source` of the upload; null if an undo has changed the quantity.',
  'StockChange.notes': 'The `notes` of the upload; null if it had none, or if they are not told.',
  'StockChange.api_key': 'The key of the request; null if it is not told.',
  'StockChange.partner': 'The partner of the key; null if it has none, or if it is not told.',
  location_id: 'The `location_code` as sent.',
  product_id: 'The `sku_code` as sent.',
  'RowError.errors': 'The messages for each wrong field of the row.',
  changes:
    'Only of a dry run: the pairs that would change, each once, in order of first appearance. At most 1,000; a warning says how many more there are.',
  'RehearsedChange.from': 'The quantity now; null if the record would be created.',
  'RehearsedChange.to': 'The quantity after the upload.',
  'RehearsedChange.source':
    "The path of the pair's first row in the partner's document. Only with a mapping.",
}

/** As DESCRIPTIONS, of deliveries. */
export const DELIVERY_DESCRIPTIONS: Record<string, string> = {
  'Delivery.record': 'The order number, SKU or location code; null if it is not known.',
  'Delivery.reason': 'Why there was nothing to do, or what the delivery waits for.',
  'Delivery.error':
    'Of a delivery that waits: the error that the same request with a key would get.',
  'Delivery.upload': 'Of an upload: what its endpoint answers.',
  'Delivery.waiting':
    'Of an upload: how many of its failed rows wait for their product or location; null if that could not be read.',
  'Delivery.results': 'Of a document with several records: the outcome of each that was tried.',
  'DeliveredRecord.index': 'The number of the record in the document, from 0.',
  'DeliveredRecord.record': 'As in the delivery.',
  'DeliveredRecord.delivery_id':
    'The id of the request that was made for this record, and of what waits of it.',
  'DeliveredRecord.reason': 'As in the delivery.',
  'DeliveredRecord.error': 'As in the delivery.',
  'DeliveryError.code': 'As of any error.',
  'DeliveryError.reason': 'As of any error.',
  'Ping.reason': 'That it was a ping.',
}
