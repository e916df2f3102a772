-- Where a key's reads go: to the primary database, or to the nearest copy, which may lag (docs/keys-and-settings.md).
ALTER TABLE api_keys ADD COLUMN reads TEXT NOT NULL DEFAULT 'primary' CHECK (reads IN ('primary', 'near'));

-- Finds out whether a tenant has such a key. No other key writes a row here.
CREATE INDEX api_keys_near ON api_keys (id) WHERE reads = 'near';

-- If a tenant has such a key, each write says after which state of the database a read sees it. So the first one concerns
-- every caller.
CREATE TRIGGER api_keys_added_near AFTER INSERT ON api_keys WHEN new.reads = 'near'
BEGIN
  UPDATE workspace SET settings_version = settings_version + 1;
  INSERT INTO settings_changes (subject, settings_version)
    SELECT 'workspace', settings_version FROM workspace WHERE true
    ON CONFLICT (subject) DO UPDATE SET settings_version = excluded.settings_version;
END;

CREATE TRIGGER api_keys_became_near AFTER UPDATE OF reads ON api_keys
WHEN new.reads = 'near' AND old.reads <> 'near'
BEGIN
  UPDATE workspace SET settings_version = settings_version + 1;
  INSERT INTO settings_changes (subject, settings_version)
    SELECT 'workspace', settings_version FROM workspace WHERE true
    ON CONFLICT (subject) DO UPDATE SET settings_version = excluded.settings_version;
END;
