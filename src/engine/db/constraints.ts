/**
 * The constraints of the data model that code distinguishes, by the names under which SQLite reports them: a
 * column whose value is taken or missing, a named CHECK, or a trigger (migrations/). Each refuses a whole
 * batch.
 */
export const CONSTRAINT = {
  /** The write's audit row: the record does not exist, or does not meet the write's conditions. */
  recordExists: 'audit_log_write_names_record',
  /** The write's audit row: settings that the caller depends on have changed since they were read. */
  settingsAreCurrent: 'audit_log.settings_version',
  /** The write's audit row: another attempt of the same request, or its refusal, is stored already. */
  requestIsNew: 'audit_log.caller',
  /** The same, of a request that is sent again in a run: its id is fixed and tells no time. */
  requestIdIsNew: 'audit_log.request_id',
  /** The write's audit row: the write's condition `holds` is false. */
  conditionHolds: 'audit_log.duration_ms',
  orderNumberIsNew: 'orders.order_number',
  orderStatusIsNotFinal: 'orders_status_is_final',
  skuIsKnown: 'order_items.sku_code',
  lineQuantityFits: 'quantity',
  skuIsNew: 'products.sku',
  locationCodeIsNew: 'locations.code',
  deliveryIsNewest: 'delivered_changes_only_rise',
  waitingHasRoom: 'waiting_totals_have_room',
  /** The delivery that is tried does not wait any more: it was dismissed or applied meanwhile. */
  deliveryWaits: 'waiting_totals.records',
  itemCodesHaveRoom: 'item_codes_have_room',
  partnerNameIsNew: 'partners.name',
  personIsNew: 'api_keys.email',
  partnerIsLive: 'api_keys_partner_is_deleted',
  ownOrdersHavePartner: 'api_keys_own_orders_need_partner',
  someKeyMayWriteKeys: 'api_keys_keep_settings_access',
  referenceExists: 'FOREIGN KEY',
} as const

export type Constraint = (typeof CONSTRAINT)[keyof typeof CONSTRAINT]
