-- Whether the documents of requests are kept, which, how long and without which places: JSON as in
-- src/documents/policy.ts. NULL: none are. A partner's policy holds for its keys, the workspace's for keys
-- without a partner.
ALTER TABLE partners ADD COLUMN keep_documents TEXT CHECK (json_type(keep_documents) = 'object');
ALTER TABLE workspace ADD COLUMN keep_documents TEXT CHECK (json_type(keep_documents) = 'object');

-- Callers with a partner rest on nothing that this column says, so only those without one count as old.
DROP TRIGGER workspace_changed;

CREATE TRIGGER workspace_changed
AFTER UPDATE OF tenant, name, integration_enabled, audit_retention_days, keep_documents ON workspace
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
