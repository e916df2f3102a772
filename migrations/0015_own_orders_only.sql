-- Needs code of 0015: code from before does not know own_orders_only and shows such keys all orders.
-- A key may be limited to the orders of its partner: for it, no other order exists. Without a partner there would be
-- none at all, so such a key has one.
ALTER TABLE api_keys ADD COLUMN own_orders_only INTEGER NOT NULL DEFAULT 0
  CONSTRAINT api_keys_own_orders_need_partner CHECK (
    own_orders_only IN (0, 1) AND (own_orders_only = 0 OR partner_id IS NOT NULL));

-- The lists of such a key by status and by external_order_id, in the order of orders_status and orders_external. Without
-- these, a page would go through the orders of all partners, or through all of its own.
CREATE INDEX orders_partner_status ON orders (partner_id, status, created_at, created_seq)
  WHERE partner_id IS NOT NULL;
CREATE INDEX orders_partner_external ON orders (partner_id, external_order_id, created_at, created_seq)
  WHERE partner_id IS NOT NULL AND external_order_id IS NOT NULL;
