-- Settings remember: each record of the settings has a version, and a history of its changes. Partners, keys and the
-- workspace can be paused.
--
-- version  The settings_version that the last change of the record has made, so that it never repeats: not for a mapping
--          that is deleted and made again, and not after a restore. It is part of the ETag. Statements of the API set it. An
--          operator leaves it alone: the trigger below raises it.
-- pause    A JSON object with the members until, a moment in UTC, and note. Each may be null. Until then the integrations API
--          answers 503. NULL: not paused. A pause whose end has passed stays here, and means nothing.

ALTER TABLE workspace ADD COLUMN version INTEGER NOT NULL DEFAULT 1;
ALTER TABLE partners ADD COLUMN version INTEGER NOT NULL DEFAULT 1;
ALTER TABLE field_mappings ADD COLUMN version INTEGER NOT NULL DEFAULT 1;
ALTER TABLE api_keys ADD COLUMN version INTEGER NOT NULL DEFAULT 1;

ALTER TABLE workspace ADD COLUMN pause TEXT CHECK (json_valid(pause) AND json_type(pause) = 'object'
  AND coalesce(json_type(pause, '$.note'), 'null') IN ('null', 'text')
  AND coalesce(json_extract(pause, '$.until') GLOB '????-??-??T??:??:??*Z', 1));
ALTER TABLE partners ADD COLUMN pause TEXT CHECK (json_valid(pause) AND json_type(pause) = 'object'
  AND coalesce(json_type(pause, '$.note'), 'null') IN ('null', 'text')
  AND coalesce(json_extract(pause, '$.until') GLOB '????-??-??T??:??:??*Z', 1));
ALTER TABLE api_keys ADD COLUMN pause TEXT CHECK (json_valid(pause) AND json_type(pause) = 'object'
  AND coalesce(json_type(pause, '$.note'), 'null') IN ('null', 'text')
  AND coalesce(json_extract(pause, '$.until') GLOB '????-??-??T??:??:??*Z', 1));

-- As before, and a pause is a change that concerns every caller.
DROP TRIGGER workspace_changed;
CREATE TRIGGER workspace_changed
AFTER UPDATE OF tenant, name, integration_enabled, audit_retention_days, audit_hot_days, keep_documents, undo_days, pause
ON workspace
BEGIN
  UPDATE workspace SET settings_version = settings_version + 1;
  INSERT INTO settings_changes (subject, settings_version)
    SELECT 'workspace', settings_version FROM workspace
    WHERE (old.tenant, old.integration_enabled, old.pause) IS NOT (new.tenant, new.integration_enabled, new.pause)
    ON CONFLICT (subject) DO UPDATE SET settings_version = excluded.settings_version;
  INSERT INTO settings_changes (subject, settings_version)
    SELECT 'without a partner', settings_version FROM workspace
    WHERE old.keep_documents IS NOT new.keep_documents
    ON CONFLICT (subject) DO UPDATE SET settings_version = excluded.settings_version;
END;

-- Who changed what: one row for each change of a settings record, written by the triggers below in the transaction of the
-- change. The daily cron deletes rows that are older than 400 days. It has no hash and no hint of a key.
CREATE TABLE settings_history (
  -- Rises in the order of commits. Retention never deletes the newest row, so no number is given out twice.
  seq          INTEGER PRIMARY KEY,
  kind         TEXT NOT NULL CHECK (kind IN ('api_key', 'partner', 'mapping', 'workspace')),
  -- The id of the key or partner. For a mapping, that of its partner. For the workspace, the name of the tenant.
  record_id    TEXT NOT NULL,
  -- The resource of a mapping. NULL for all else.
  resource     TEXT,
  -- The name of the key, partner or workspace after the change. For a mapping, that of its partner.
  name         TEXT NOT NULL,
  -- The version of the record after the change.
  version      INTEGER NOT NULL,
  action       TEXT NOT NULL CHECK (action IN ('created', 'changed', 'deleted')),
  -- JSON: the names of the fields that differ.
  fields       TEXT NOT NULL CHECK (json_type(fields) = 'array'),
  created_at   TEXT NOT NULL,
  -- Of the request that made the change. NULL: a statement of an operator did.
  request_id   TEXT,
  api_key_id   TEXT,
  api_key_name TEXT,
  source       TEXT NOT NULL CHECK (source IN ('api', 'dashboard', 'operator')),
  -- JSON: the record before and after the change. before is NULL for a new record, and where both together would be more
  -- than a row can hold. after is NULL for a deleted record. They are last, so that lists do not read through them.
  before       TEXT,
  after        TEXT
) STRICT;

-- The history of a record, and who changed a record since a version.
CREATE INDEX settings_history_record ON settings_history (record_id, seq);

-- An INSERT into this table is what a trigger has to say of a change. It stays empty. A view would do as well, but exports
-- write triggers before views.
CREATE TABLE settings_history_inbox (
  kind        TEXT NOT NULL,
  record_id   TEXT NOT NULL,
  resource    TEXT,
  name        TEXT NOT NULL,
  -- The version of the record before the statement. NULL: the record is new.
  old_version INTEGER,
  -- The version of the record after the statement. NULL: the record is deleted.
  version     INTEGER,
  before      TEXT,
  after       TEXT
) STRICT;

-- Statements of the API set the version, and the newest audit row is theirs: it is the first statement of the same
-- transaction. The version is the next one then, or up to two more for the old key of a rotation, which that row names in
-- its path. A deletion sets no version, so its audit row has to be that of a deletion. Any other statement is one of an
-- operator. It gets a version here, which never repeats either: it is higher than the one before, and no higher than the
-- settings_version after the statement.
CREATE TRIGGER settings_history_written BEFORE INSERT ON settings_history_inbox
BEGIN
  SELECT RAISE(IGNORE) WHERE new.before IS new.after;
  -- INSERT OR REPLACE runs no trigger of a deletion, so the previous version is not known here. The number
  -- rises once more, so that this version does not come again.
  UPDATE workspace SET settings_version = settings_version + 1 WHERE new.old_version IS NULL AND new.version = 1;
  INSERT INTO settings_history (kind, record_id, resource, name, version, action, fields, before, after, created_at,
    request_id, api_key_id, api_key_name, source)
  SELECT new.kind, new.record_id, new.resource, new.name,
    iif(sets_version, new.version, max(coalesce(new.old_version, 0) + 1, workspace.settings_version)),
    CASE WHEN new.before IS NULL THEN 'created' WHEN new.after IS NULL THEN 'deleted' ELSE 'changed' END,
    (SELECT json_group_array(one.key) FROM json_each(coalesce(new.after, new.before)) AS one
      LEFT JOIN json_each(iif(new.after IS NULL, NULL, new.before)) AS other ON other.key = one.key
      WHERE one.value IS NOT other.value),
    iif(octet_length(new.before) + octet_length(new.after) > 1500000, NULL, new.before), new.after,
    coalesce(own.created_at, strftime('%Y-%m-%dT%H:%M:%fZ', 'now')), own.request_id, own.api_key_id, own.api_key_name,
    CASE WHEN own.request_id IS NULL THEN 'operator' WHEN own.path LIKE '/dashboard/%' THEN 'dashboard' ELSE 'api' END
  FROM workspace
    JOIN (SELECT new.version IS NOT NULL AND new.version <> coalesce(new.old_version, 1) AS sets_version)
    LEFT JOIN audit_log AS own ON own.seq = (SELECT max(seq) FROM audit_log)
      AND own.method <> 'GET' AND own.status < 300 AND NOT own.dry_run
      AND (own.record_id = new.record_id OR instr(own.path, '/' || new.record_id || '/') > 0)
      AND iif(new.version IS NULL, (own.method = 'DELETE' OR own.path LIKE '%/delete/')
        AND own.path LIKE '%/mappings/' || new.resource || '/%' AND own.settings_version >= workspace.settings_version - 1,
        sets_version AND new.version > own.settings_version
          AND new.version <= own.settings_version + iif(own.record_id = new.record_id, 1, 3));
  UPDATE workspace SET version = (SELECT version FROM settings_history ORDER BY seq DESC LIMIT 1)
    WHERE new.kind = 'workspace' AND new.version IS coalesce(new.old_version, 1);
  UPDATE partners SET version = (SELECT version FROM settings_history ORDER BY seq DESC LIMIT 1)
    WHERE new.kind = 'partner' AND id = new.record_id AND new.version IS coalesce(new.old_version, 1);
  UPDATE api_keys SET version = (SELECT version FROM settings_history ORDER BY seq DESC LIMIT 1)
    WHERE new.kind = 'api_key' AND id = new.record_id AND new.version IS coalesce(new.old_version, 1);
  UPDATE field_mappings SET version = (SELECT version FROM settings_history ORDER BY seq DESC LIMIT 1)
    WHERE new.kind = 'mapping' AND partner_id = new.record_id AND resource = new.resource
      AND new.version IS coalesce(new.old_version, 1);
  SELECT RAISE(IGNORE);
END;

-- What each record of the settings was before and after its change. A new setting is a member here, or its changes leave no
-- entry: a test compares the members with the columns.
CREATE TRIGGER workspace_changed_remembered
AFTER UPDATE OF name, integration_enabled, audit_retention_days, audit_hot_days, undo_days, keep_documents, pause
ON workspace
BEGIN
  INSERT INTO settings_history_inbox (kind, record_id, resource, name, old_version, version, before, after)
  SELECT 'workspace', new.tenant, NULL, new.name, old.version, new.version,
    json_object('name', old.name, 'integration_enabled', json(iif(old.integration_enabled, 'true', 'false')),
      'audit_retention_days', old.audit_retention_days,
      'audit_hot_days', old.audit_hot_days, 'undo_days', old.undo_days, 'keep_documents', json(old.keep_documents),
      'pause', json(old.pause)),
    json_object('name', new.name, 'integration_enabled', json(iif(new.integration_enabled, 'true', 'false')),
      'audit_retention_days', new.audit_retention_days,
      'audit_hot_days', new.audit_hot_days, 'undo_days', new.undo_days, 'keep_documents', json(new.keep_documents),
      'pause', json(new.pause));
END;

CREATE TRIGGER partners_added_remembered AFTER INSERT ON partners
BEGIN
  INSERT INTO settings_history_inbox (kind, record_id, resource, name, old_version, version, before, after)
  SELECT 'partner', new.id, NULL, new.name, NULL, new.version,
    NULL,
    json_object('name', new.name, 'default_identifier_field', new.default_identifier_field,
      'keep_documents', json(new.keep_documents), 'pause', json(new.pause), 'deleted_at', new.deleted_at);
END;

CREATE TRIGGER partners_changed_remembered
AFTER UPDATE OF name, default_identifier_field, keep_documents, pause, deleted_at
ON partners
BEGIN
  INSERT INTO settings_history_inbox (kind, record_id, resource, name, old_version, version, before, after)
  SELECT 'partner', new.id, NULL, new.name, old.version, new.version,
    json_object('name', old.name, 'default_identifier_field', old.default_identifier_field,
      'keep_documents', json(old.keep_documents), 'pause', json(old.pause), 'deleted_at', old.deleted_at),
    json_object('name', new.name, 'default_identifier_field', new.default_identifier_field,
      'keep_documents', json(new.keep_documents), 'pause', json(new.pause), 'deleted_at', new.deleted_at);
END;

CREATE TRIGGER field_mappings_added_remembered AFTER INSERT ON field_mappings
BEGIN
  INSERT INTO settings_history_inbox (kind, record_id, resource, name, old_version, version, before, after)
  SELECT 'mapping', new.partner_id, new.resource, coalesce((SELECT name FROM partners WHERE id = new.partner_id), ''),
    NULL, new.version,
    NULL,
    json_object('identifier_field', new.identifier_field, 'inbound', json(new.inbound),
      'outbound', json(new.outbound));
END;

CREATE TRIGGER field_mappings_changed_remembered AFTER UPDATE OF identifier_field, inbound, outbound ON field_mappings
BEGIN
  INSERT INTO settings_history_inbox (kind, record_id, resource, name, old_version, version, before, after)
  SELECT 'mapping', new.partner_id, new.resource, coalesce((SELECT name FROM partners WHERE id = new.partner_id), ''),
    old.version, new.version,
    json_object('identifier_field', old.identifier_field, 'inbound', json(old.inbound),
      'outbound', json(old.outbound)),
    json_object('identifier_field', new.identifier_field, 'inbound', json(new.inbound),
      'outbound', json(new.outbound));
END;

CREATE TRIGGER field_mappings_removed_remembered AFTER DELETE ON field_mappings
BEGIN
  INSERT INTO settings_history_inbox (kind, record_id, resource, name, old_version, version, before, after)
  SELECT 'mapping', old.partner_id, old.resource, coalesce((SELECT name FROM partners WHERE id = old.partner_id), ''),
    old.version, NULL,
    json_object('identifier_field', old.identifier_field, 'inbound', json(old.inbound),
      'outbound', json(old.outbound)),
    NULL;
END;

CREATE TRIGGER api_keys_added_remembered AFTER INSERT ON api_keys
BEGIN
  INSERT INTO settings_history_inbox (kind, record_id, resource, name, old_version, version, before, after)
  SELECT 'api_key', new.id, NULL, new.name, NULL, new.version,
    NULL,
    json_object('name', new.name, 'scopes', json(new.scopes), 'partner_id', new.partner_id, 'release', new."release",
      'rate_limit', new.rate_limit, 'own_orders_only', json(iif(new.own_orders_only, 'true', 'false')),
      'reads', new.reads, 'pause', json(new.pause), 'expires_at', new.expires_at, 'revoked_at', new.revoked_at,
      'rotated_from', new.rotated_from);
END;

CREATE TRIGGER api_keys_changed_remembered
AFTER UPDATE OF name, scopes, partner_id, "release", rate_limit, own_orders_only, reads, pause, expires_at, revoked_at,
  rotated_from
ON api_keys
BEGIN
  INSERT INTO settings_history_inbox (kind, record_id, resource, name, old_version, version, before, after)
  SELECT 'api_key', new.id, NULL, new.name, old.version, new.version,
    json_object('name', old.name, 'scopes', json(old.scopes), 'partner_id', old.partner_id, 'release', old."release",
      'rate_limit', old.rate_limit, 'own_orders_only', json(iif(old.own_orders_only, 'true', 'false')),
      'reads', old.reads, 'pause', json(old.pause), 'expires_at', old.expires_at, 'revoked_at', old.revoked_at,
      'rotated_from', old.rotated_from),
    json_object('name', new.name, 'scopes', json(new.scopes), 'partner_id', new.partner_id, 'release', new."release",
      'rate_limit', new.rate_limit, 'own_orders_only', json(iif(new.own_orders_only, 'true', 'false')),
      'reads', new.reads, 'pause', json(new.pause), 'expires_at', new.expires_at, 'revoked_at', new.revoked_at,
      'rotated_from', new.rotated_from);
END;

-- No code deletes a key or a partner, but the SQL of an operator may.
CREATE TRIGGER partners_removed_remembered AFTER DELETE ON partners
BEGIN
  INSERT INTO settings_history_inbox (kind, record_id, resource, name, old_version, version, before, after)
  SELECT 'partner', old.id, NULL, old.name, old.version, NULL,
    json_object('name', old.name, 'default_identifier_field', old.default_identifier_field,
      'keep_documents', json(old.keep_documents), 'pause', json(old.pause), 'deleted_at', old.deleted_at),
    NULL;
END;

CREATE TRIGGER api_keys_removed_remembered AFTER DELETE ON api_keys
BEGIN
  INSERT INTO settings_history_inbox (kind, record_id, resource, name, old_version, version, before, after)
  SELECT 'api_key', old.id, NULL, old.name, old.version, NULL,
    json_object('name', old.name, 'scopes', json(old.scopes), 'partner_id', old.partner_id, 'release', old."release",
      'rate_limit', old.rate_limit, 'own_orders_only', json(iif(old.own_orders_only, 'true', 'false')),
      'reads', old.reads, 'pause', json(old.pause), 'expires_at', old.expires_at, 'revoked_at', old.revoked_at,
      'rotated_from', old.rotated_from),
    NULL;
END;
