-- The feed of changes (GET /changes/) is a walk along these indexes, oldest change first. A record stands once in its
-- index, at its last change, so a walk from the start gives every record. Records from before this migration come first.
--
-- changed_in     the `seq` of the audit row of the request that changed the record last. The audit row is the first
--                statement of each write, so these numbers rise in the order of commits. 0: before this migration.
-- changed_by     that request's id, which outlives the audit row. NULL: before this migration, or no request.
-- changed_place  the record's place in the feed, beside its seq: changed_in, then the resource, as a number from 0 to 3. So
--                one number orders the records of all resources, and no two resources share a place.
ALTER TABLE products ADD COLUMN changed_in INTEGER NOT NULL DEFAULT 0;
ALTER TABLE products ADD COLUMN changed_by TEXT;
ALTER TABLE products ADD COLUMN changed_place INTEGER NOT NULL GENERATED ALWAYS AS (changed_in * 4) VIRTUAL;
ALTER TABLE locations ADD COLUMN changed_in INTEGER NOT NULL DEFAULT 0;
ALTER TABLE locations ADD COLUMN changed_by TEXT;
ALTER TABLE locations ADD COLUMN changed_place INTEGER NOT NULL GENERATED ALWAYS AS (changed_in * 4 + 1) VIRTUAL;
ALTER TABLE inventory ADD COLUMN changed_in INTEGER NOT NULL DEFAULT 0;
ALTER TABLE inventory ADD COLUMN changed_by TEXT;
-- When that request came in. Other records have updated_at.
ALTER TABLE inventory ADD COLUMN changed_at TEXT;
ALTER TABLE inventory ADD COLUMN changed_place INTEGER NOT NULL GENERATED ALWAYS AS (changed_in * 4 + 2) VIRTUAL;
ALTER TABLE orders ADD COLUMN changed_in INTEGER NOT NULL DEFAULT 0;
ALTER TABLE orders ADD COLUMN changed_by TEXT;
ALTER TABLE orders ADD COLUMN changed_place INTEGER NOT NULL GENERATED ALWAYS AS (changed_in * 4 + 3) VIRTUAL;

-- Each also holds seq, the rowid: records that one request changed are in the order of seq.
CREATE INDEX products_changed ON products (changed_place);
CREATE INDEX locations_changed ON locations (changed_place);
CREATE INDEX inventory_changed ON inventory (changed_place);
CREATE INDEX orders_changed ON orders (changed_place);

-- Cursors of the feed hold this number. When a database is restored or moved, settings_version leaps to a higher number
-- (0006), and cursors from before hold no longer: the numbers of requests are given again.
ALTER TABLE workspace ADD COLUMN changes_epoch INTEGER NOT NULL DEFAULT 1;

CREATE TRIGGER changes_leapt AFTER UPDATE OF settings_version ON workspace
WHEN new.settings_version <> old.settings_version + 1
BEGIN
  UPDATE workspace SET changes_epoch = new.settings_version;
END;

-- A statement of a Worker from before this migration, or of an operator, does not say which request it belongs to. Of such
-- a Worker's batch the newest audit row is its own, and names the record. Statements that set changed_in pay nothing.
-- Stock has no such triggers: they would take a tenth of the time of an upload, from every upload.
CREATE TRIGGER products_added_silently AFTER INSERT ON products
WHEN new.changed_in = 0 AND EXISTS (SELECT 1 FROM audit_log)
BEGIN
  UPDATE products SET changed_in = (SELECT max(seq) FROM audit_log), changed_by = (
    SELECT request_id FROM audit_log WHERE seq = (SELECT max(seq) FROM audit_log) AND record_id = new.id)
  WHERE seq = new.seq;
END;

CREATE TRIGGER locations_added_silently AFTER INSERT ON locations
WHEN new.changed_in = 0 AND EXISTS (SELECT 1 FROM audit_log)
BEGIN
  UPDATE locations SET changed_in = (SELECT max(seq) FROM audit_log), changed_by = (
    SELECT request_id FROM audit_log WHERE seq = (SELECT max(seq) FROM audit_log) AND record_id = new.id)
  WHERE seq = new.seq;
END;

CREATE TRIGGER orders_added_silently AFTER INSERT ON orders
WHEN new.changed_in = 0 AND EXISTS (SELECT 1 FROM audit_log)
BEGIN
  UPDATE orders SET changed_in = (SELECT max(seq) FROM audit_log), changed_by = (
    SELECT request_id FROM audit_log WHERE seq = (SELECT max(seq) FROM audit_log) AND record_id = new.id)
  WHERE seq = new.seq;
END;

-- These also count the version, which Workers from before 0017 do not.
CREATE TRIGGER products_changed_silently AFTER UPDATE ON products
WHEN new.changed_in = old.changed_in
BEGIN
  UPDATE products SET version = version + (new.version = old.version),
    changed_in = coalesce((SELECT max(seq) FROM audit_log), 0), changed_by = (
      SELECT request_id FROM audit_log WHERE seq = (SELECT max(seq) FROM audit_log) AND record_id = new.id)
  WHERE seq = new.seq;
END;

CREATE TRIGGER locations_changed_silently AFTER UPDATE ON locations
WHEN new.changed_in = old.changed_in
BEGIN
  UPDATE locations SET version = version + (new.version = old.version),
    changed_in = coalesce((SELECT max(seq) FROM audit_log), 0), changed_by = (
      SELECT request_id FROM audit_log WHERE seq = (SELECT max(seq) FROM audit_log) AND record_id = new.id)
  WHERE seq = new.seq;
END;

CREATE TRIGGER orders_changed_silently AFTER UPDATE ON orders
WHEN new.changed_in = old.changed_in
BEGIN
  UPDATE orders SET version = version + (new.version = old.version),
    changed_in = coalesce((SELECT max(seq) FROM audit_log), 0), changed_by = (
      SELECT request_id FROM audit_log WHERE seq = (SELECT max(seq) FROM audit_log) AND record_id = new.id)
  WHERE seq = new.seq;
END;
