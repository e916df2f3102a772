-- Requests leave the database for R2 after so many days (src/audit/archive/). From audit_retention_days on, none do.
ALTER TABLE workspace ADD COLUMN audit_hot_days INTEGER NOT NULL DEFAULT 30 CHECK (audit_hot_days BETWEEN 1 AND 3650);

-- The objects in R2 that hold audit rows. One batch adds an object here and deletes its rows from audit_log: so each row is
-- in one of both, whatever fails, and a database that is set back in time knows the objects that it had then.
CREATE TABLE audit_archives (
  last_seq  INTEGER PRIMARY KEY,
  first_seq INTEGER NOT NULL,
  -- The earliest created_at of its rows. They are in the order of seq, and a row may be stored some minutes late.
  first_at  TEXT NOT NULL,
  -- The latest created_at of its rows and of all rows before: it rises with last_seq.
  last_at   TEXT NOT NULL,
  rows      INTEGER NOT NULL,
  -- Of the text, not compressed.
  bytes     INTEGER NOT NULL,
  sha256    TEXT NOT NULL
) STRICT;

-- From a time to the objects that may hold it, and to those that are past the retention.
CREATE INDEX audit_archives_time ON audit_archives (last_at);

-- When a key made the last of its requests that are archived. Not in api_keys, where a change is one of the settings.
CREATE TABLE archived_key_uses (
  api_key_id   TEXT PRIMARY KEY,
  last_used_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Also audit_hot_days. A trigger's columns cannot be added to.
DROP TRIGGER workspace_changed;

CREATE TRIGGER workspace_changed
AFTER UPDATE OF tenant, name, integration_enabled, audit_retention_days, audit_hot_days, keep_documents, undo_days
ON workspace
BEGIN
  UPDATE workspace SET settings_version = settings_version + 1;
  INSERT INTO settings_changes (subject, settings_version)
    SELECT 'workspace', settings_version FROM workspace
    WHERE (old.tenant, old.integration_enabled) IS NOT (new.tenant, new.integration_enabled)
    ON CONFLICT (subject) DO UPDATE SET settings_version = excluded.settings_version;
  INSERT INTO settings_changes (subject, settings_version)
    SELECT 'without a partner', settings_version FROM workspace
    WHERE old.keep_documents IS NOT new.keep_documents
    ON CONFLICT (subject) DO UPDATE SET settings_version = excluded.settings_version;
END;
