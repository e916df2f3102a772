import type { Edit } from '../edit.ts'
import { at, both, type States } from './state.ts'

const [CANCEL, PAYMENT] = ['cancelStatus.cancelState', 'orderPaymentStatus']
const WALMART = (status: string): Edit => ({
  'order.orderLines.orderLine[0].orderLineStatuses.orderLineStatus[0].status': status,
  'order.orderLines.orderLine[1].orderLineStatuses.orderLineStatus[0].status': status,
})
const LINE = 'orders[0].order_lines[0]'
const SHOPIFY = 'data.orders.nodes[0]'

/** The order below `within` of the document. */
function shopware(within: string): States {
  const state = `${within}stateMachineState.technicalName`
  const transaction = `${within}transactions[0].stateMachineState.technicalName`
  return {
    cancelled: both(
      ...([state, transaction] as const),
      ...([
        ['cancelled', 'paid'],
        ['cancelled', 'open'],
        ['cancelled', 'failed'],
      ] as [string, string][]),
    ),
    shipped: at(state, 'completed'),
    refused: [
      ...at(
        transaction,
        ...['open', 'failed', 'in_progress', 'paid_partially', 'cancelled', 'unconfirmed'],
        ...['reminded', 'chargeback', 'refunded'],
      ),
      ...at(`${within}transactions`, []),
    ],
    taken: [...at(state, 'in_progress'), ...at(transaction, 'authorized')],
  }
}

/** Of shops and marketplaces. */
export const SHOP_STATES: Record<string, States> = {
  'amazon-sp-api-order': {
    cancelled: at('Orders[0].OrderStatus', 'Canceled', 'Unfulfillable'),
    shipped: at('Orders[0].OrderStatus', 'Shipped'),
    refused: at(
      'Orders[0].OrderStatus',
      ...['Pending', 'PendingAvailability', 'InvoiceUnconfirmed', 'PartiallyShipped'],
    ),
  },
  'amazon-sp-api-order-2026': {
    cancelled: at('orders[0].fulfillment.fulfillmentStatus', 'CANCELLED', 'UNFULFILLABLE'),
    shipped: at('orders[0].fulfillment.fulfillmentStatus', 'SHIPPED'),
    refused: at(
      'orders[0].fulfillment.fulfillmentStatus',
      ...['PENDING', 'PENDING_AVAILABILITY', 'PARTIALLY_SHIPPED'],
    ),
  },
  'bigcommerce-order': {
    cancelled: at('status_id', 4, 5, 6),
    shipped: at('status_id', 2, 10),
    refused: at('status_id', 0, 1, 3, 7, 12, 13),
    taken: [...at('status_id', 8, 9, 14), ...at('products[0].quantity_refunded', 1, 2)],
  },
  'bol-order': {
    cancelled: [
      { 'orderItems[0].quantityCancelled': 2, 'orderItems[1].quantityCancelled': 1 },
      { 'orderItems[0].quantityCancelled': 2, 'orderItems[1].cancellationRequest': true },
    ],
    refused: [],
    refusedByPost: [{ 'orderItems[0].quantityShipped': 2, 'orderItems[1].quantityShipped': 1 }],
    taken: at('orderItems[0].quantityCancelled', 1, 2),
  },
  'commercetools-order': {
    cancelled: both('orderState', 'paymentState', ['Cancelled', 'Paid'], ['Cancelled', null]),
    shipped: at('orderState', 'Complete'),
    refused: at('paymentState', 'BalanceDue', 'Failed', 'Pending', null),
    taken: at('orderState', 'Confirmed'),
  },
  'ebay-order': {
    cancelled: [
      ...at(PAYMENT, 'FULLY_REFUNDED'),
      ...both(CANCEL, PAYMENT, ['CANCELED', 'PAID'], ['CANCELED', 'FAILED'], ['CANCELED', null]),
    ],
    refused: [...at(CANCEL, 'IN_PROGRESS'), ...at(PAYMENT, 'PENDING', 'FAILED')],
    taken: at(PAYMENT, 'PARTIALLY_REFUNDED'),
  },
  'ecwid-orders': {
    cancelled: [
      ...at('items[0].paymentStatus', 'CANCELLED', 'REFUNDED'),
      ...at('items[0].fulfillmentStatus', 'WILL_NOT_DELIVER', 'RETURNED'),
    ],
    shipped: at('items[0].fulfillmentStatus', 'SHIPPED', 'OUT_FOR_DELIVERY', 'DELIVERED'),
    refused: [
      ...at('items[0].paymentStatus', 'AWAITING_PAYMENT', 'INCOMPLETE', 'CUSTOM_PAYMENT_STATUS_1'),
      ...at('items[0].fulfillmentStatus', 'CUSTOM_FULFILLMENT_STATUS_1'),
    ],
    taken: [
      ...at('items[0].paymentStatus', 'PARTIALLY_REFUNDED'),
      ...at('items[0].fulfillmentStatus', 'PROCESSING', 'READY_FOR_PICKUP'),
    ],
  },
  'etsy-receipt': {
    cancelled: at('status', 'Canceled', 'canceled', 'Fully Refunded', 'fully refunded'),
    shipped: at('status', 'Completed', 'completed'),
    refused: at('status', 'Open', 'open', 'Payment Processing', 'payment processing'),
    taken: at('status', 'paid', 'Partially Refunded'),
  },
  'lightspeed-orders': {
    cancelled: [
      ...at('order.status', 'cancelled'),
      ...both('order.status', 'order.paymentStatus', ['cancelled', 'not_paid']),
    ],
    shipped: at('order.status', 'completed', 'completed_shipped', 'completed_picked_up'),
    refused: [
      ...at(
        'order.status',
        ...['on_hold', 'processing_awaiting_payment', 'processing_ready_for_pickup'],
      ),
      ...at('order.paymentStatus', 'not_paid', 'partially_paid'),
    ],
    taken: at('order.status', 'processing_awaiting_pickup'),
  },
  'magento-order': {
    cancelled: at('state', 'canceled', 'closed'),
    shipped: at('state', 'complete'),
    refused: at('state', 'new', 'pending_payment', 'payment_review', 'holded'),
    taken: [...at('items[0].qty_canceled', 1, 2), ...at('items[0].qty_refunded', 1, 2)],
  },
  'mirakl-or11-order': {
    cancelled: at('orders[0].order_state', 'CANCELED', 'REFUSED'),
    shipped: at('orders[0].order_state', 'SHIPPED', 'RECEIVED', 'CLOSED'),
    refused: at(
      'orders[0].order_state',
      ...['STAGING', 'WAITING_ACCEPTANCE', 'WAITING_DEBIT', 'WAITING_DEBIT_PAYMENT'],
    ),
    taken: [
      ...at('orders[0].order_state', 'TO_COLLECT'),
      ...at(`${LINE}.cancelations`, [{ id: 'C-1', quantity: 1 }], [{ id: 'C-2', quantity: 2 }]),
    ],
  },
  'prestashop-order': {
    cancelled: at('order.current_state', '6', '7', 6),
    shipped: at('order.current_state', '4', '5'),
    refused: at('order.current_state', '1', '8', '10', '12', '13', '27'),
    taken: at('order.current_state', '3', '9', '11', 2),
  },
  'saleor-order': {
    cancelled: [
      ...at('$[0].status', 'canceled', 'expired', 'returned'),
      ...both('$[0].status', '$[0].payments', ['canceled', []]),
    ],
    shipped: at('$[0].status', 'fulfilled'),
    refused: [
      ...at('$[0].status', 'draft', 'unconfirmed', 'partially_fulfilled'),
      ...at('$[0].payments', []),
      ...at('$[0].payments[0].charge_status', 'not-charged', 'pending', 'refused'),
    ],
  },
  'shopee-orders': {
    cancelled: at('response.order_list[0].order_status', 'CANCELLED'),
    shipped: at(
      'response.order_list[0].order_status',
      ...['SHIPPED', 'TO_CONFIRM_RECEIVE', 'TO_RETURN', 'COMPLETED'],
    ),
    refused: at('response.order_list[0].order_status', 'UNPAID', 'INVOICE_PENDING', 'IN_CANCEL'),
    taken: at('response.order_list[0].order_status', 'PROCESSED', 'RETRY_SHIP'),
  },
  'shopify-graphql-order': {
    cancelled: [
      ...both(`${SHOPIFY}.cancelReason`, `${SHOPIFY}.displayFinancialStatus`, ['OTHER', 'PAID']),
      ...at(`${SHOPIFY}.cancelReason`, ...['CUSTOMER', 'DECLINED', 'FRAUD', 'INVENTORY', 'STAFF']),
      ...at(`${SHOPIFY}.displayFinancialStatus`, 'REFUNDED', 'VOIDED'),
      ...at(`${SHOPIFY}.displayFulfillmentStatus`, 'RESTOCKED'),
    ],
    shipped: at(`${SHOPIFY}.displayFulfillmentStatus`, 'FULFILLED'),
    refused: [
      ...at(`${SHOPIFY}.displayFinancialStatus`, 'PENDING', 'PARTIALLY_PAID', 'EXPIRED'),
      ...at(
        `${SHOPIFY}.displayFulfillmentStatus`,
        ...['PARTIALLY_FULFILLED', 'ON_HOLD', 'SCHEDULED', 'PENDING_FULFILLMENT'],
        'REQUEST_DECLINED',
      ),
    ],
    taken: [
      ...at(`${SHOPIFY}.displayFinancialStatus`, 'AUTHORIZED', 'PARTIALLY_REFUNDED'),
      ...at(`${SHOPIFY}.displayFulfillmentStatus`, 'IN_PROGRESS'),
    ],
  },
  'shopify-order': {
    cancelled: [
      ...both(
        ...(['cancel_reason', 'financial_status'] as const),
        ...([
          ['customer', 'paid'],
          ['fraud', 'pending'],
          ['declined', 'voided'],
        ] as [string, string][]),
      ),
      ...at('cancel_reason', 'inventory', 'other', 'staff'),
      ...at('financial_status', 'refunded', 'voided'),
      ...at('fulfillment_status', 'restocked'),
    ],
    shipped: at('fulfillment_status', 'fulfilled'),
    refused: [
      ...at('financial_status', 'pending', 'partially_paid', 'expired'),
      ...at('fulfillment_status', 'partial'),
    ],
    taken: at('financial_status', 'authorized', 'partially_refunded'),
  },
  'shopify-order-export-csv': {
    cancelled: [
      ...both('gift: yes,,', ',paid,', ['gift: yes,2026-03-15 08:00:00 -0400,', ',pending,']),
      ...at(',paid,', ',refunded,', ',voided,'),
      ...at(',unfulfilled,', ',restocked,'),
    ],
    shipped: at(',unfulfilled,', ',fulfilled,'),
    refused: [
      ...at(',paid,', ',pending,', ',partially_paid,', ',expired,', ',partially_refunded,'),
      ...at(',unfulfilled,', ',partial,'),
    ],
    taken: at(',paid,', ',authorized,'),
  },
  'shopware-order': shopware('data.'),
  'shopware-order-event': shopware(''),
  'spree-order': {
    cancelled: [
      ...at('state', 'canceled'),
      ...at('payment_state', 'void', 'refunded', 'voided'),
      ...at('fulfillment_status', 'canceled'),
    ],
    shipped: [
      ...at('fulfillment_status', 'shipped', 'fulfilled', 'delivered'),
      ...at('state', 'awaiting_return', 'returned'),
    ],
    refused: [
      ...at('payment_state', 'balance_due', 'failed', 'none', 'partially_paid'),
      ...at('fulfillment_status', 'partial', 'backorder'),
    ],
    taken: [
      ...at('payment_state', 'authorized', 'partially_refunded', 'overcharged', 'credit_owed'),
      ...at('fulfillment_status', 'unfulfilled', 'ready'),
    ],
  },
  'square-order': {
    cancelled: both('order.state', 'order.tenders', ['CANCELED', []], ['CANCELED', null]),
    shipped: at('order.state', 'COMPLETED'),
    refused: at('order.state', 'DRAFT'),
    refusedByPost: at('order.tenders', [], null),
  },
  'squarespace-orders': {
    cancelled: at('result[0].fulfillmentStatus', 'CANCELED'),
    shipped: at('result[0].fulfillmentStatus', 'FULFILLED'),
    refused: [...at('result[0].fulfillmentStatus', 'OTHER'), ...at('result[0].testmode', true)],
  },
  'sylius-order': {
    cancelled: [
      ...at('state', 'cancelled'),
      ...at('shippingState', 'cancelled'),
      ...at('paymentState', 'cancelled', 'refunded'),
    ],
    shipped: [...at('state', 'fulfilled'), ...at('shippingState', 'shipped')],
    refused: [
      ...at('state', 'cart'),
      ...at('shippingState', 'partially_shipped'),
      ...at('paymentState', 'awaiting_payment', 'partially_paid', 'partially_authorized', 'cart'),
    ],
    taken: at('paymentState', 'authorized', 'partially_refunded'),
  },
  'walmart-order': {
    cancelled: [WALMART('Cancelled')],
    refused: [],
    refusedByPost: [WALMART('Shipped'), WALMART('Delivered'), WALMART('Refund')],
    taken: [WALMART('Created')],
  },
  'wix-orders': {
    cancelled: [
      ...at('orders[0].status', 'CANCELED', 'REJECTED'),
      ...at('orders[0].paymentStatus', 'FULLY_REFUNDED'),
    ],
    shipped: at('orders[0].fulfillmentStatus', 'FULFILLED'),
    refused: [
      ...at('orders[0].status', 'INITIALIZED', 'PENDING'),
      ...at(
        'orders[0].paymentStatus',
        ...['NOT_PAID', 'PENDING', 'PARTIALLY_PAID', 'PENDING_MERCHANT', 'DECLINED'],
      ),
      ...at('orders[0].fulfillmentStatus', 'PARTIALLY_FULFILLED'),
    ],
    taken: [
      ...at('orders[0].paymentStatus', 'PARTIALLY_REFUNDED'),
      ...at('orders[0].lineItems[0].refundQuantity', 1, 2),
    ],
  },
  'woocommerce-order': {
    cancelled: at('status', 'cancelled', 'refunded', 'failed', 'trash'),
    shipped: at('status', 'completed'),
    refused: at('status', 'pending', 'on-hold', 'checkout-draft', 'auto-draft', 'packed'),
  },
}
