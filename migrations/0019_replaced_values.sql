-- What each write replaced, so that it can be taken back and history can be shown: JSON, in slices of at most 1 MB for
-- each request. It is kept for undo_days, and not at all with 0.
CREATE TABLE replaced_values (
  -- The `seq` of the request's audit row. The daily retention deletes all below a boundary.
  changed_in INTEGER NOT NULL,
  position   INTEGER NOT NULL,
  resource   TEXT NOT NULL CHECK (resource IN ('orders', 'products', 'locations', 'inventory')),
  replaced   TEXT NOT NULL,
  PRIMARY KEY (changed_in, position)
) STRICT, WITHOUT ROWID;

-- The history of stock walks along the slices of uploads, past those of other requests.
CREATE INDEX replaced_values_of_stock ON replaced_values (changed_in, position) WHERE resource = 'inventory';

ALTER TABLE workspace ADD COLUMN undo_days INTEGER NOT NULL DEFAULT 7 CHECK (undo_days BETWEEN 0 AND 90);

-- Since when nothing that was replaced is missing: a time without remembering, or with fewer days, leaves a gap.
-- NULL: since the workspace exists. Workspaces of today remember from here on.
ALTER TABLE workspace ADD COLUMN remembered_since TEXT;
UPDATE workspace SET remembered_since = strftime('%Y-%m-%dT%H:%M:%fZ', 'now');

-- Also undo_days. A trigger's columns cannot be added to.
DROP TRIGGER workspace_changed;

CREATE TRIGGER workspace_changed
AFTER UPDATE OF tenant, name, integration_enabled, audit_retention_days, keep_documents, undo_days ON workspace
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

-- An upload finds its differences first, applies them, and remembers what they replaced. A slice holds them meanwhile:
-- `rows` are the pairs without a record (src/resources/inventory/upload-statements.ts).
--
-- changed  records with another quantity, [[seq, from, to], ...].
ALTER TABLE inventory_upload_slices ADD COLUMN changed TEXT;
-- How many rows failed because something else was stored than they asked for.
ALTER TABLE inventory_upload_slices ADD COLUMN failed INTEGER;
-- The pairs of those rows, [[number, quantity, first failed row], ...].
ALTER TABLE inventory_upload_slices ADD COLUMN found TEXT;
