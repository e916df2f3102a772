import fc from 'fast-check'

// Bodies of the integrations API, of so few names that most requests meet another's record.

export const SKUS = ['S/3', 'S-1', 'S-2']
export const CODES = ['L-2', 'L-1', 'L 3']
// Of a list fast-check takes the first and the last more often: those are what is to be new.
const NUMBERS = ['O-3', 'O-1', 'O-2', 'O-4', 'O-5']
const REFERENCES = ['red', 'blue']
const TEXTS = [...REFERENCES, 'text']
/** Of an order: what a shop calls it, more often than not. */
export const ORDER_NAMES = ['red', 'text', ...NUMBERS, ...REFERENCES, 'O-2', 'O-1']
/** Of a product or a location that are called by something else than their codes. */
export const OTHER_NAMES = [...REFERENCES, '5']

const from = <T>(...values: T[]) => fc.constantFrom<unknown>(...values)

/** Mostly what may be there, and once in a while what may not. */
const mostly = (good: unknown[], bad: unknown[]) =>
  fc.oneof({ weight: 70, arbitrary: from(...good) }, { weight: 1, arbitrary: from(...bad) })

/** With all of the first members and some of the others. */
function body(
  required: Record<string, fc.Arbitrary<unknown>>,
  optional: Record<string, fc.Arbitrary<unknown>>,
) {
  return fc.record({ ...required, ...optional }, { requiredKeys: Object.keys(required) })
}

const number = mostly(NUMBERS, [7, '', null])
const reference = mostly([...REFERENCES, null], [5])
const text = mostly([...TEXTS, null], [5, {}])
/** Of a customer: two or three words now and then. */
const name = mostly([...TEXTS, 'red text', 'text', 'Blue red text', null], [5, {}])
const object = mostly([{}, { ref: 'red' }, { ref: 'blue' }, { ref: 5 }], ['text', 3])
const sku = mostly(['S-1', 'S-1', 'S/3', 'S-unknown', 'S-2', 'S-2', 'S-2'], ['', 3, null])
const quantity = mostly([1, 2, 5], [0, -1, 2.5, '3', null])

const line = body({ sku_code: sku, quantity }, { notes: text })
const header = {
  customer_name: name,
  notes: text,
  due_date: mostly(['2026-03-01', null], ['soon']),
  metadata: object,
}
const documentLine = body({ code: sku, qty: quantity }, {})
const document = body(
  {
    doc: fc.oneof(
      { weight: 12, arbitrary: body({ number }, { ref: reference }) as fc.Arbitrary<unknown> },
      { weight: 1, arbitrary: from('text') },
    ),
    lines: fc.array(documentLine, { minLength: 1, maxLength: 3 }),
  },
  { remark: text, metadata: object, gift: from(true) },
)

const status = mostly(
  ['draft', 'pending', 'in_progress', 'verified', 'verified', 'shipped', 'cancelled'],
  ['lost', null],
)

export const orderBodies = {
  create: fc.oneof(
    {
      weight: 30,
      arbitrary: body(
        { order_number: number, items: fc.array(line, { minLength: 1, maxLength: 3 }) },
        {
          ...header,
          external_order_id: reference,
          customer_info: object,
          order_date: from('2026-02-01', null),
          status: mostly(['pending', 'draft'], ['cancelled', 'shipped']),
        },
      ),
    },
    { weight: 3, arbitrary: document },
    { weight: 2, arbitrary: from({}, { order_number: 'O-1', items: [] }) },
  ) as fc.Arbitrary<unknown>,
  /** As a shop with a mapping of its own writes it. */
  document: document as fc.Arbitrary<unknown>,
  update: fc.oneof(
    { weight: 3, arbitrary: body({}, { ...header, status, customer_info: object }) },
    { weight: 2, arbitrary: body({ status }, {}) },
    { weight: 1, arbitrary: body({ remark: text }, { status }) },
    { weight: 1, arbitrary: body({ order_number: number }, { notes: text, status }) },
  ) as fc.Arbitrary<unknown>,
  cancel: body({}, { reason: text }) as fc.Arbitrary<unknown>,
}

const product = {
  quantity: mostly([0, 5, -5, 5], [2.5, '5', null]),
  is_active: mostly([true, false], ['yes', null]),
  cost: mostly(['3.20', 4, null], ['x', -1]),
  custom_fields: mostly([{}, { ref: 'red' }, { ref: 5 }], ['text', null]),
}

export const productBodies = {
  create: body({ sku: mostly(SKUS, [3, '', null]) }, product) as fc.Arbitrary<unknown>,
  update: fc.oneof(
    { weight: 5, arbitrary: body({}, product) },
    { weight: 1, arbitrary: body({ sku: mostly(SKUS, [3, null]) }, product) },
  ) as fc.Arbitrary<unknown>,
}

const location = { name: text, zone: text, aisle: text, metadata: object, label: text }

const changedLocation = { ...location, is_active: mostly([true, false], ['yes', null]) }

export const locationBodies = {
  create: body({ code: mostly(CODES, [3, '', null]) }, location) as fc.Arbitrary<unknown>,
  update: fc.oneof(
    { weight: 5, arbitrary: body({}, changedLocation) },
    { weight: 1, arbitrary: body({ code: mostly(CODES, [3, null]) }, changedLocation) },
  ) as fc.Arbitrary<unknown>,
}

const stockQuantity = fc.oneof(
  { weight: 8, arbitrary: from<unknown>(0, 1, 5, 9) },
  { weight: 1, arbitrary: from<unknown>(-1, 2.5, '3', null) },
)
const stockCondition = mostly([5, null, 5, 0, 1, 9], ['5', -1])
const code = mostly(['L-1', 'L-1', 'L-unknown', ...CODES, 'L-1'], ['', 3, null])
const row = fc.oneof(
  {
    weight: 20,
    arbitrary: body(
      { location_code: code, sku_code: sku, quantity: stockQuantity },
      { if_quantity: stockCondition },
    ) as fc.Arbitrary<unknown>,
  },
  { weight: 1, arbitrary: from<unknown>(null, 7, [], {}) },
)
const ownRow = body({ bin: code, code: sku, count: stockQuantity }, { was: stockCondition })

export const uploadBodies = fc.oneof(
  {
    weight: 16,
    arbitrary: body(
      { inventory: fc.array(row, { minLength: 1, maxLength: 5 }) },
      { source: mostly(['erp_sync', 'manual_adjustment', null], ['guess']), notes: text },
    ) as fc.Arbitrary<unknown>,
  },
  {
    weight: 4,
    arbitrary: body(
      { rows: fc.array(ownRow, { minLength: 1, maxLength: 4 }) },
      { notes: text },
    ) as fc.Arbitrary<unknown>,
  },
  { weight: 1, arbitrary: from<unknown>({}, { inventory: [] }, { inventory: 'all' }) },
)

/** Of few pairs, so that one upload changes what another one did. */
export const plainUploads = fc
  .array(
    body(
      {
        location_code: from('L-1'),
        sku_code: from('S-1', 'S-2', 'S-1'),
        quantity: from(0, 1, 5, 9),
      },
      {},
    ),
    { minLength: 1, maxLength: 3 },
  )
  .map((inventory): unknown => ({ inventory }))
