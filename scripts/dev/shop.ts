// The sample partner: a shop that sends its orders in WooCommerce's format.

export const SHOP = { name: 'Porto Tea House' }

/** The body of `PUT /partners/{id}/mappings/orders/`. */
export const SHOP_MAPPING = {
  identifier_field: 'external_order_id',
  inbound: {
    unmapped: 'drop',
    fields: {
      order_number: 'number',
      external_order_id: { from: 'order_key', required: true },
      customer_name: 'billing.company',
      customer_info: 'shipping',
      'customer_info.email': 'billing.email',
      notes: 'customer_note',
      order_date: 'date_created_gmt',
      'items[].sku_code': 'line_items[].sku',
      'items[].quantity': 'line_items[].quantity',
      'items[].notes': 'line_items[].name',
      'metadata.total': 'total',
      'metadata.source': { value: 'woocommerce' },
    },
  },
}

/** An order as the shop sends it. `key` is the shop's own identifier of the order. */
export function shopOrder(number: string, key: string) {
  return {
    id: 727,
    number,
    order_key: key,
    status: 'processing',
    date_created_gmt: '2026-11-20T17:22:31',
    total: '58.75',
    customer_note: 'Ring twice.',
    billing: { company: 'Porto Tea House', email: 'orders@porto-tea.example' },
    shipping: {
      address_1: 'Rua das Flores 12',
      city: 'Porto',
      postcode: '4050-262',
      country: 'PT',
    },
    line_items: [
      { id: 315, name: 'Sencha, loose leaf', sku: 'TEA-SENCHA-100', quantity: 5, total: '33.75' },
      { id: 316, name: 'Cast iron teapot', sku: 'POT-CASTIRON-08', quantity: 1, total: '25.00' },
    ],
  }
}
