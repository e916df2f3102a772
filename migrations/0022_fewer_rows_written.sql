-- Needs code of 0020: the audit log comes back with each column that such code reads and writes.
-- Each request writes a row of the audit log, and one more for each index that holds it. So one index takes the place of
-- three: it is that of the caller, keeps a request from being stored twice, and leads to a request by its id, which tells
-- when the request came (src/db/log-look-ups.ts). The table is built anew, because SQLite drops a UNIQUE in no other way.
--
-- This copies all rows. Nothing refers to the table, so no row of another table is lost with the old one. SQLite renames no
-- table while a trigger names one that is missing: those of 0018 go first, and come back as they were.
DROP TRIGGER products_added_silently;
DROP TRIGGER locations_added_silently;
DROP TRIGGER orders_added_silently;
DROP TRIGGER products_changed_silently;
DROP TRIGGER locations_changed_silently;
DROP TRIGGER orders_changed_silently;

CREATE TABLE audit_log_rebuilt (
  -- Rises in the order of commits.
  seq              INTEGER PRIMARY KEY,
  -- A UUID of version 7: it begins with created_at in ms. Before this migration, and where a request is sent again in a run,
  -- it tells no time.
  request_id       TEXT NOT NULL,
  created_at       TEXT NOT NULL,
  settings_version INTEGER NOT NULL,
  record_id        TEXT,
  api_key_id       TEXT NOT NULL,
  api_key_name     TEXT NOT NULL,
  partner_id       TEXT,
  partner_name     TEXT,
  method           TEXT NOT NULL,
  path             TEXT NOT NULL,
  status           INTEGER NOT NULL,
  error_code       TEXT,
  duration_ms      INTEGER NOT NULL,
  source           TEXT,
  notes            TEXT,
  rows_total       INTEGER,
  rows_created     INTEGER,
  rows_failed      INTEGER,
  rows_updated     INTEGER GENERATED ALWAYS AS (rows_total - rows_created - rows_failed),
  record_name      TEXT,
  message          TEXT,
  details          TEXT CHECK (json_type(details) = 'object'),
  error_fields     TEXT,
  document_until   INTEGER,
  document_reason  TEXT CHECK (document_until IS NULL OR document_reason IS NULL),
  list_page        TEXT CHECK (list_page IN ('first', 'next')),
  replay_of        TEXT,
  dry_run          INTEGER NOT NULL DEFAULT 0 CHECK (dry_run IN (0, 1)),
  -- The key and its partner at that time.
  caller           TEXT NOT NULL GENERATED ALWAYS AS (api_key_id || ' ' || coalesce(partner_id, '')),
  CONSTRAINT audit_log_write_names_record CHECK (
    record_id IS NOT NULL OR status >= 400 OR method IN ('GET', 'HEAD'))
) STRICT;

INSERT INTO audit_log_rebuilt (
  seq, request_id, created_at, settings_version, record_id, api_key_id, api_key_name, partner_id,
  partner_name, method, path, status, error_code, duration_ms, source, notes, rows_total, rows_created,
  rows_failed, record_name, message, details, error_fields, document_until, document_reason, list_page,
  replay_of, dry_run)
SELECT
  seq, request_id, created_at, settings_version, record_id, api_key_id, api_key_name, partner_id,
  partner_name, method, path, status, error_code, duration_ms, source, notes, rows_total, rows_created,
  rows_failed, record_name, message, details, error_fields, document_until, document_reason, list_page,
  replay_of, dry_run
FROM audit_log ORDER BY seq;

DROP TABLE audit_log;

ALTER TABLE audit_log_rebuilt RENAME TO audit_log;

CREATE UNIQUE INDEX audit_log_caller ON audit_log (caller, created_at, request_id);
-- No request of a client writes a row here, but what is sent again in a run does. Rows from before leave with retention.
CREATE UNIQUE INDEX audit_log_untimed ON audit_log (request_id) WHERE substr(request_id, 15, 1) <> '7';
CREATE INDEX audit_log_record ON audit_log (record_name, created_at) WHERE record_name IS NOT NULL;
CREATE INDEX audit_log_replay ON audit_log (replay_of) WHERE replay_of IS NOT NULL;

-- Lists of a range of created_at are merged along orders_status.
DROP INDEX orders_created_at;

-- As in 0018.
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
