import type { Edit } from '../edit.ts'
import { at, both, type States } from './state.ts'

const [REJECTION, CREDIT] = ['d.OverallSDDocumentRejectionSts', 'd.TotalCreditCheckStatus']
const QUICKBOOKS = (memo: string): Edit => ({
  'Invoice.PrivateNote': memo,
  'Invoice.Line[0].SalesItemLineDetail.Qty': 0,
})
const DYNAMICS = (status: string): Edit => ({
  'value[0].SalesOrderHeader.SalesOrderStatus': status,
  'value[1].SalesOrderHeader.SalesOrderStatus': status,
})

/** Another document about the same order. */
const UBL = (root: string): Edit => ({
  '<Order xmlns="urn:oasis:names:specification:ubl:schema:xsd:Order-2"': `<${root} xmlns="urn:oasis:names:specification:ubl:schema:xsd:${root}-2"`,
  '</Order>': `</${root}>`,
  '<cbc:ID>2026-00913</cbc:ID>':
    '<cbc:ID>1</cbc:ID><cac:OrderReference><cbc:ID>2026-00913</cbc:ID></cac:OrderReference>',
})

/** Of ERPs, accounts, sheets, and what collects orders of several shops. */
export const BACK_OFFICE_STATES: Record<string, States> = {
  'brightpearl-orders': {
    cancelled: [
      ...at('response[0].orderStatus.name', 'Cancelled'),
      ...both(...(['response[0].orderStatus.name', 'response[0].orderPaymentStatus'] as const), [
        'Cancelled',
        'UNPAID',
      ]),
    ],
    shipped: [
      ...at('response[0].shippingStatusCode', 'ASS'),
      ...both(...(['response[0].shippingStatusCode', 'response[0].orderStatus.name'] as const), [
        'ASS',
        'Invoiced',
      ]),
    ],
    refused: [
      ...at('response[0].orderStatus.name', 'Draft / Quote', 'On hold'),
      ...at('response[0].orderPaymentStatus', 'UNPAID', 'PARTIALLY_PAID'),
      ...at('response[0].shippingStatusCode', 'SPS'),
      ...at('response[0].orderTypeCode', 'SC', 'PO'),
    ],
    taken: at('response[0].orderPaymentStatus', 'NOT_APPLICABLE'),
  },
  'business-central-sales-order': {
    shipped: at('fullyShipped', true),
    refused: at('status', 'Draft', 'In Review', 'In_x0020_Review'),
  },
  'cxml-order-request': {
    cancelled: at('type="new"', 'type="delete"'),
    refused: [
      ...at('type="new"', 'type="update"'),
      ...at('"production"', '"test"'),
      ...at('"regular"', '"blanket"'),
    ],
    refusedByPost: at('<SupplierPartID>VISOR-CLEAR</SupplierPartID>', '<SupplierPartID/>'),
    taken: at('"regular"', '"release"'),
  },
  'dynamics-365-sales-order-lines': {
    cancelled: [DYNAMICS('Canceled')],
    shipped: [DYNAMICS('Delivered'), DYNAMICS('Invoiced')],
    refused: [DYNAMICS('None')],
    taken: both(
      'value[1].SalesOrderLineStatus',
      'value[1].OrderedSalesQuantity',
      ...([
        ['Canceled', 1],
        ['Delivered', 1],
      ] as [string, number][]),
    ),
  },
  'google-sheets-orders': {
    cancelled: at('values[1][2]', 'cancelled'),
    shipped: at('values[1][2]', 'shipped'),
    refused: at('values[1][2]', 'unpaid', 'Cancelled?'),
    taken: at('values[1][2]', 'open', ''),
  },
  'linnworks-orders': {
    cancelled: both('$[0].Processed', '$[0].GeneralInfo.HoldOrCancel', [true, true]),
    shipped: at('$[0].Processed', true),
    refused: [
      ...at('$[0].GeneralInfo.Status', 0, 2, 3),
      ...at('$[0].GeneralInfo.HoldOrCancel', true),
    ],
    taken: at('$[0].GeneralInfo.Status', 4),
  },
  'netsuite-sales-orders': {
    cancelled: at('orderStatus.id', 'C', 'H'),
    shipped: at('orderStatus.id', 'F', 'G'),
    refused: at('orderStatus.id', 'A'),
    refusedByPost: [{ 'item.items[0].quantityFulfilled': 6, 'item.items[1].isClosed': true }],
    taken: at('orderStatus.id', 'D', 'E'),
  },
  'odoo-sale-orders': {
    cancelled: at('records[0].state', 'cancel'),
    refused: at('records[0].state', 'draft', 'sent'),
    refusedByPost: [
      { 'records[0].order_line[0].qty_delivered': 24, 'records[0].order_line[2].qty_delivered': 6 },
    ],
    taken: at('records[0].order_line[0].qty_delivered', 12, 24),
  },
  'quickbooks-invoice': {
    cancelled: [QUICKBOOKS('Voided'), QUICKBOOKS('Voided - Paid by cheque')],
    refused: [{ 'Invoice.Line[2]': { Id: '3', DetailType: 'GroupLineDetail' } }],
    taken: at('Invoice.Balance', 0),
  },
  'sap-s4hana-sales-order': {
    cancelled: both(REJECTION, CREDIT, ['C', ''], ['C', 'B'], ['C', 'A']),
    refused: at(CREDIT, 'B', 'C'),
    taken: both(REJECTION, CREDIT, ['B', ''], ['A', 'D']),
  },
  'shipstation-order': {
    cancelled: at('orderStatus', 'cancelled'),
    shipped: at('orderStatus', 'shipped'),
    refused: at('orderStatus', 'awaiting_payment', 'on_hold', 'rejected_fulfillment'),
    taken: at('orderStatus', 'pending_fulfillment'),
  },
  'ubl-order': { refused: at('Order[1]', { ID: [{ _: 'B' }] }) },
  'ubl-order-xml': {
    cancelled: [UBL('OrderCancellation')],
    refused: [UBL('OrderChange')],
  },
  'xero-invoices': {
    cancelled: at('Invoices[0].Status', 'VOIDED', 'DELETED'),
    refused: [
      ...at('Invoices[0].Status', 'DRAFT', 'SUBMITTED'),
      ...at('Invoices[0].Type', 'ACCPAY'),
    ],
    taken: at('Invoices[0].Status', 'AUTHORISED'),
  },
  'zoho-inventory-salesorders': {
    cancelled: at('salesorder.status', 'void'),
    shipped: at('salesorder.status', 'shipped', 'fulfilled', 'closed'),
    refused: at('salesorder.status', 'draft', 'pending_approval', 'onhold'),
    refusedByPost: [
      {
        'salesorder.line_items[0].quantity_cancelled': 8,
        'salesorder.line_items[1].quantity_shipped': 3,
      },
    ],
    taken: at(
      'salesorder.status',
      ...['open', 'invoiced', 'partially_invoiced', 'partially_shipped'],
    ),
  },
}
