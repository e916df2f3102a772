// The sample data: the warehouse of a small tea and coffee shop.

export const PRODUCTS = [
  product('TEA-EARLGREY-100', '4.20', 320, 'Earl Grey, loose leaf', {
    weight_g: 100,
    origin: 'LK',
  }),
  product('TEA-SENCHA-100', '6.75', 140, 'Sencha, loose leaf', { weight_g: 100, origin: 'JP' }),
  product('TEA-ASSAM-250', '7.10', 96, 'Assam, loose leaf', { weight_g: 250, origin: 'IN' }),
  product('COF-YIRGACHEFFE-250', '8.90', 180, 'Yirgacheffe, whole bean', {
    weight_g: 250,
    origin: 'ET',
  }),
  product('COF-HUILA-1000', '21.50', 48, 'Huila, whole bean', { weight_g: 1000, origin: 'CO' }),
  product('POT-CASTIRON-08', '34.00', 18, 'Cast iron teapot', { volume_ml: 800, fragile: false }),
  product('MUG-STONEWARE-35', '5.60', 240, 'Stoneware mug', { volume_ml: 350, fragile: true }),
  product('FILTER-V60-02-100', '3.15', 410, 'Paper filters, size 02', { pieces: 100 }),
]

export const LOCATIONS = [
  { code: 'A-01-1', name: 'Tea, eye level', zone: 'A', aisle: '01' },
  { code: 'A-01-2', name: 'Tea, top shelf', zone: 'A', aisle: '01' },
  { code: 'B-03-1', name: 'Coffee', zone: 'B', aisle: '03' },
  { code: 'C-02-4', name: 'Ware', zone: 'C', aisle: '02', metadata: { padded: true } },
  { code: 'DOCK-1', name: 'Loading dock', zone: 'DOCK', metadata: { staging: true } },
]

export const STOCK = {
  source: 'initial_load',
  notes: 'Opening stock',
  inventory: [
    stock('A-01-1', 'TEA-EARLGREY-100', 200),
    stock('A-01-2', 'TEA-EARLGREY-100', 96),
    stock('DOCK-1', 'TEA-EARLGREY-100', 24),
    stock('A-01-1', 'TEA-SENCHA-100', 140),
    stock('A-01-2', 'TEA-ASSAM-250', 96),
    stock('B-03-1', 'COF-YIRGACHEFFE-250', 180),
    stock('B-03-1', 'COF-HUILA-1000', 36),
    stock('DOCK-1', 'COF-HUILA-1000', 12),
    stock('C-02-4', 'POT-CASTIRON-08', 18),
    stock('C-02-4', 'MUG-STONEWARE-35', 240),
    stock('B-03-1', 'FILTER-V60-02-100', 410),
  ],
}

/** Oldest first. Each order is moved to its `status`, or stays pending if that is null. */
export const ORDERS = [
  {
    status: 'shipped',
    order: {
      order_number: 'WEB-1001',
      external_order_id: 'shop-58201',
      customer_name: 'Marta Lindqvist',
      customer_info: { email: 'marta@example.com', city: 'Gothenburg', country: 'SE' },
      order_date: daysFromNow(-4),
      due_date: daysFromNow(-1),
      metadata: { channel: 'web', carrier: 'PostNord' },
      items: [line('TEA-SENCHA-100', 2), line('POT-CASTIRON-08', 1, 'Gift wrap')],
    },
  },
  {
    status: 'in_progress',
    order: {
      order_number: 'WEB-1002',
      external_order_id: 'shop-58214',
      customer_name: 'Café Miramar',
      customer_info: { email: 'orders@miramar.example', city: 'Porto', country: 'PT', vat: true },
      notes: 'Deliver before 08:00, side entrance.',
      order_date: daysFromNow(-1),
      due_date: daysFromNow(2),
      metadata: { channel: 'wholesale', purchase_order: 'MIR-0417' },
      items: [
        line('COF-HUILA-1000', 12),
        line('FILTER-V60-02-100', 20),
        line('MUG-STONEWARE-35', 36),
      ],
    },
  },
  {
    status: null,
    order: {
      order_number: 'WEB-1003',
      external_order_id: 'shop-58230',
      customer_name: 'Daniel Okafor',
      customer_info: { email: 'daniel@example.com', city: 'Leeds', country: 'GB' },
      order_date: daysFromNow(0),
      due_date: daysFromNow(3),
      metadata: { channel: 'web', gift: false },
      items: [line('TEA-EARLGREY-100', 3), line('COF-YIRGACHEFFE-250', 1)],
    },
  },
]

function product(sku: string, cost: string, quantity: number, name: string, more: object) {
  return { sku, cost, quantity, custom_fields: { name, ...more } }
}

function stock(location_code: string, sku_code: string, quantity: number) {
  return { location_code, sku_code, quantity }
}

function line(sku_code: string, quantity: number, notes?: string) {
  return { sku_code, quantity, ...(notes !== undefined && { notes }) }
}

/** A date in UTC, such as `2026-03-01`. */
function daysFromNow(days: number): string {
  return new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
}
