-- The audit log says what a request was about and why it failed. Each request writes a row here, so the table
-- is built anew for the fewest rows written: one for the row itself, one for its request id, one for its key,
-- and one each for its partner and its record if there are any.
--
-- seq        without AUTOINCREMENT, which writes a row of its own each time. Retention never deletes the
--            newest row, so no seq is given twice.
-- created_at without an index of its own. A row is stored at most some minutes after its created_at, so seq
--            leads to a time (src/db/log-position.ts). The other indexes hold created_at: a list of one key,
--            partner or record reads the rows of a range and no others.
--
-- This copies all rows. Nothing refers to the table, so no row of another table is lost with the old one.
-- Needs code of 0007: the table comes back with each column that such code reads and writes.
CREATE TABLE audit_log_rebuilt (
  seq              INTEGER PRIMARY KEY,
  request_id       TEXT NOT NULL UNIQUE,
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
  -- Of an inventory upload only.
  source           TEXT,
  notes            TEXT,
  rows_total       INTEGER,
  rows_created     INTEGER,
  rows_failed      INTEGER,
  rows_updated     INTEGER GENERATED ALWAYS AS (rows_total - rows_created - rows_failed),
  -- The order number, SKU or location code. NULL for lists, uploads and settings.
  record_name      TEXT,
  -- Of a refusal, and of an upload with failed rows (src/audit/explanation.ts).
  message          TEXT,
  details          TEXT CHECK (json_type(details) = 'object'),
  -- The fields that the error names, ours and the partner's, without indexes, each between line breaks.
  error_fields     TEXT,
  CONSTRAINT audit_log_write_names_record CHECK (
    record_id IS NOT NULL OR status >= 400 OR method IN ('GET', 'HEAD'))
) STRICT;

INSERT INTO audit_log_rebuilt (
  seq, request_id, created_at, settings_version, record_id, api_key_id, api_key_name, partner_id,
  partner_name, method, path, status, error_code, duration_ms, source, notes, rows_total, rows_created,
  rows_failed)
SELECT
  seq, request_id, created_at, settings_version, record_id, api_key_id, api_key_name, partner_id,
  partner_name, method, path, status, error_code, duration_ms, source, notes, rows_total, rows_created,
  rows_failed
FROM audit_log ORDER BY seq;

DROP TABLE audit_log;

ALTER TABLE audit_log_rebuilt RENAME TO audit_log;

CREATE INDEX audit_log_api_key ON audit_log (api_key_id, created_at);
CREATE INDEX audit_log_partner ON audit_log (partner_id, created_at) WHERE partner_id IS NOT NULL;
CREATE INDEX audit_log_record ON audit_log (record_name, created_at) WHERE record_name IS NOT NULL;
