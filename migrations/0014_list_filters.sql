-- Filters of lists. Each list reads its page from an index in the order of the list, whatever else the table holds.
--
-- Lists of orders with filters are in order of created_at, so that created_from and created_to are a range of each
-- index, and then of seq. created_seq is seq under another name: SQLite finds a place within the orders of one
-- moment in an index only if the index does not call it rowid.
ALTER TABLE orders ADD COLUMN created_seq INTEGER NOT NULL GENERATED ALWAYS AS (seq) VIRTUAL;

CREATE INDEX orders_status ON orders (status, created_at, created_seq);
CREATE INDEX orders_created_at ON orders (created_at, created_seq);
CREATE INDEX orders_partner ON orders (partner_id, created_at, created_seq) WHERE partner_id IS NOT NULL;

-- In place of the index of external_order_id alone.
CREATE INDEX orders_external ON orders (external_order_id, created_at, created_seq)
  WHERE external_order_id IS NOT NULL;
DROP INDEX orders_external_order_id;

-- Few records are inactive, and only they pay for these.
CREATE INDEX products_inactive ON products (seq) WHERE is_active = 0;
CREATE INDEX locations_inactive ON locations (seq) WHERE is_active = 0;
