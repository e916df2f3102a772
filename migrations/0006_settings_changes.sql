-- Settings change often if several people administer a tenant, but those that one caller depends on rarely
-- do: its key, its partner with its mappings, and workspace.integration_enabled. Only if one of these has
-- changed since the caller was looked up, its request is refused for old settings.

-- The settings_version at which each of them last changed. Without a row it has not changed since it was
-- created, or since this table exists.
CREATE TABLE settings_changes (
  -- The id of a key or of a partner, or 'workspace', which concerns every caller.
  subject          TEXT PRIMARY KEY,
  settings_version INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- All callers that were looked up before this migration count as old.
INSERT INTO settings_changes (subject, settings_version)
  SELECT 'workspace', settings_version FROM workspace;

DROP TRIGGER api_keys_changed;

CREATE TRIGGER api_keys_changed AFTER UPDATE ON api_keys
BEGIN
  UPDATE workspace SET settings_version = settings_version + 1;
  INSERT INTO settings_changes (subject, settings_version)
    SELECT old.id, settings_version FROM workspace WHERE true
    ON CONFLICT (subject) DO UPDATE SET settings_version = excluded.settings_version;
END;

-- No code of ours deletes a key or a partner, but an operator's SQL may.
CREATE TRIGGER api_keys_removed AFTER DELETE ON api_keys
BEGIN
  UPDATE workspace SET settings_version = settings_version + 1;
  INSERT INTO settings_changes (subject, settings_version)
    SELECT old.id, settings_version FROM workspace WHERE true
    ON CONFLICT (subject) DO UPDATE SET settings_version = excluded.settings_version;
END;

DROP TRIGGER partners_changed;

CREATE TRIGGER partners_changed AFTER UPDATE ON partners
BEGIN
  UPDATE workspace SET settings_version = settings_version + 1;
  INSERT INTO settings_changes (subject, settings_version)
    SELECT old.id, settings_version FROM workspace WHERE true
    ON CONFLICT (subject) DO UPDATE SET settings_version = excluded.settings_version;
END;

CREATE TRIGGER partners_removed AFTER DELETE ON partners
BEGIN
  UPDATE workspace SET settings_version = settings_version + 1;
  INSERT INTO settings_changes (subject, settings_version)
    SELECT old.id, settings_version FROM workspace WHERE true
    ON CONFLICT (subject) DO UPDATE SET settings_version = excluded.settings_version;
END;

DROP TRIGGER field_mappings_added;

CREATE TRIGGER field_mappings_added AFTER INSERT ON field_mappings
BEGIN
  UPDATE workspace SET settings_version = settings_version + 1;
  INSERT INTO settings_changes (subject, settings_version)
    SELECT new.partner_id, settings_version FROM workspace WHERE true
    ON CONFLICT (subject) DO UPDATE SET settings_version = excluded.settings_version;
END;

DROP TRIGGER field_mappings_changed;

CREATE TRIGGER field_mappings_changed AFTER UPDATE ON field_mappings
BEGIN
  UPDATE workspace SET settings_version = settings_version + 1;
  INSERT INTO settings_changes (subject, settings_version)
    SELECT partner_id, settings_version
    FROM workspace, (SELECT old.partner_id AS partner_id UNION SELECT new.partner_id) WHERE true
    ON CONFLICT (subject) DO UPDATE SET settings_version = excluded.settings_version;
END;

DROP TRIGGER field_mappings_removed;

CREATE TRIGGER field_mappings_removed AFTER DELETE ON field_mappings
BEGIN
  UPDATE workspace SET settings_version = settings_version + 1;
  INSERT INTO settings_changes (subject, settings_version)
    SELECT old.partner_id, settings_version FROM workspace WHERE true
    ON CONFLICT (subject) DO UPDATE SET settings_version = excluded.settings_version;
END;

-- No caller depends on the workspace's name or on its audit_retention_days.
DROP TRIGGER workspace_changed;

CREATE TRIGGER workspace_changed
AFTER UPDATE OF tenant, name, integration_enabled, audit_retention_days ON workspace
BEGIN
  UPDATE workspace SET settings_version = settings_version + 1;
  INSERT INTO settings_changes (subject, settings_version)
    SELECT 'workspace', settings_version FROM workspace
    WHERE (old.tenant, old.integration_enabled) IS NOT (new.tenant, new.integration_enabled)
    ON CONFLICT (subject) DO UPDATE SET settings_version = excluded.settings_version;
END;

-- When a database is restored or moved, settings_version is set to a much higher number in one step: all
-- callers that were looked up before count as old.
CREATE TRIGGER workspace_leapt AFTER UPDATE OF settings_version ON workspace
WHEN new.settings_version <> old.settings_version + 1
BEGIN
  INSERT INTO settings_changes (subject, settings_version) VALUES ('workspace', new.settings_version)
    ON CONFLICT (subject) DO UPDATE SET settings_version = excluded.settings_version;
END;
