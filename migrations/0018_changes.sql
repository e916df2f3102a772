-- The feed of changes (GET /changes/) is a walk along these indexes, oldest change first. A record stands once in its
-- index, at its last change, so a walk from the start gives every record. Records from before this migration come first.
--
-- changed_in  the `seq` of the audit row of the request that changed the record last. The audit row is the first
--             statement of each write, so these numbers rise in the order of commits. 0: before this migration.
-- changed_by  that request's id, which outlives the audit row. NULL: before this migration.
ALTER TABLE orders ADD COLUMN changed_in INTEGER NOT NULL DEFAULT 0;
ALTER TABLE orders ADD COLUMN changed_by TEXT;
ALTER TABLE products ADD COLUMN changed_in INTEGER NOT NULL DEFAULT 0;
ALTER TABLE products ADD COLUMN changed_by TEXT;
ALTER TABLE locations ADD COLUMN changed_in INTEGER NOT NULL DEFAULT 0;
ALTER TABLE locations ADD COLUMN changed_by TEXT;
ALTER TABLE inventory ADD COLUMN changed_in INTEGER NOT NULL DEFAULT 0;
ALTER TABLE inventory ADD COLUMN changed_by TEXT;
-- When that request came in. Other records have updated_at.
ALTER TABLE inventory ADD COLUMN changed_at TEXT;

-- Each also holds seq, the rowid: records that one request changed are in the order of seq.
CREATE INDEX orders_changed ON orders (changed_in);
CREATE INDEX products_changed ON products (changed_in);
CREATE INDEX locations_changed ON locations (changed_in);
CREATE INDEX inventory_changed ON inventory (changed_in);
