-- Webhooks: addresses at which the system of a partner delivers documents. A webhook is a row of api_keys of another kind. Its
-- key stands in the address, so everything that holds for keys holds for it.
--
-- webhook          JSON: the rules by which deliveries are checked and understood (src/engine/webhooks/rules.ts). NULL: the
--                  row is a key that clients send.
-- webhook_secrets  JSON: at most two objects with the members sealed (src/engine/webhooks/sealed-secret.ts), sealed_for,
--                  set_at and ends_at, a moment in UTC or null. The newest is first. The history has the moments alone.

ALTER TABLE api_keys ADD COLUMN webhook TEXT CHECK (webhook IS NULL OR (json_valid(webhook)
  AND json_type(webhook, '$.resource') IS 'text' AND json_type(webhook, '$.verification') IS 'object'
  AND partner_id IS NOT NULL));
ALTER TABLE api_keys ADD COLUMN webhook_secrets TEXT CHECK (json_valid(webhook_secrets)
  AND json_type(webhook_secrets) = 'array' AND json_array_length(webhook_secrets) <= 2);

-- The list of webhooks. No other key writes a row here.
CREATE INDEX api_keys_webhooks ON api_keys (seq) WHERE webhook IS NOT NULL;

-- Three columns of a delivery, NULL for every other request:
--
-- outcome       What became of the delivery.
-- sender_event  The event, as the sender calls it.
-- sender_id     The own id of the sender of the delivery. Senders use one id for repetitions, and sometimes for different
--               things, so it decides nothing.
ALTER TABLE audit_log ADD COLUMN outcome TEXT CHECK (outcome IS NULL OR outcome IN (
  'created', 'updated', 'unchanged', 'cancelled', 'deactivated', 'uploaded', 'several', 'skipped', 'stale', 'superseded',
  'dismissed', 'waiting'));
ALTER TABLE audit_log ADD COLUMN sender_event TEXT;
ALTER TABLE audit_log ADD COLUMN sender_id TEXT;

-- How new the document is that was applied last, of each partner and record: also of a record that is not there, whose
-- cancellation came before its creation. It is forgotten after 90 days.
CREATE TABLE delivered_changes (
  partner_id TEXT NOT NULL,
  resource   TEXT NOT NULL,
  -- The value of the field by which the settings of the partner address records.
  identifier TEXT NOT NULL,
  -- In a form whose order as text is that of the times or numbers (src/engine/webhooks/changed-at.ts).
  changed_at TEXT NOT NULL,
  -- The day, so that a further delivery of the same day leaves the index below as it is.
  applied_on TEXT NOT NULL,
  PRIMARY KEY (partner_id, resource, identifier)
) STRICT, WITHOUT ROWID;

-- Finds the rows that are past their time.
CREATE INDEX delivered_changes_ended ON delivered_changes (applied_on);

-- Each new row deletes up to two that are past their time, so that the table does not grow without end.
CREATE TRIGGER delivered_changes_forgotten AFTER INSERT ON delivered_changes
BEGIN
  DELETE FROM delivered_changes WHERE (partner_id, resource, identifier) IN (
    SELECT partner_id, resource, identifier FROM delivered_changes WHERE applied_on < date('now', '-90 days') LIMIT 2);
END;

-- An older document changes nothing: the statement is refused with its batch. Of two that are equally new, the one that
-- came later is applied. Only values of one form are compared: rules may begin to read another value. But a document that
-- tells its time is older than a deletion without a time (form d) that arrived after that time.
CREATE TRIGGER delivered_changes_only_rise BEFORE UPDATE OF changed_at ON delivered_changes
WHEN substr(new.changed_at, 1, 1) = substr(old.changed_at, 1, 1) AND new.changed_at < old.changed_at
  OR substr(old.changed_at, 1, 1) = 'd' AND substr(new.changed_at, 1, 1) = 't'
    AND substr(new.changed_at, 2) < substr(old.changed_at, 2)
BEGIN
  SELECT RAISE(ABORT, 'delivered_changes_only_rise');
END;

-- Orders whose lines differ from those of the newest document that a webhook has brought. The lines of an order cannot
-- change, so this is for a person. A document that agrees again deletes the row.
CREATE TABLE line_differences (
  order_id    TEXT PRIMARY KEY,
  -- The seq and the id of the audit row of the request that brought the document, and its partner.
  log_seq     INTEGER NOT NULL,
  request_id  TEXT NOT NULL,
  partner_id  TEXT NOT NULL,
  -- JSON: a pair of each SKU of the document and its quantity in all lines.
  sent        TEXT NOT NULL CHECK (json_valid(sent)),
  -- JSON: the first differences, objects with the members sku_code, stored and sent. And how many there are.
  differences TEXT NOT NULL CHECK (json_valid(differences)),
  total       INTEGER NOT NULL CHECK (total > 0),
  noted_at    TEXT NOT NULL,
  -- When an administrator has marked them as seen. The row stays, so that a further document with the same lines does not
  -- show them anew.
  seen_at     TEXT
) STRICT, WITHOUT ROWID;

-- Those that nobody has seen, the newest first, and those of a partner.
CREATE INDEX line_differences_unseen ON line_differences (log_seq) WHERE seen_at IS NULL;
CREATE INDEX line_differences_of_partner ON line_differences (partner_id, log_seq) WHERE seen_at IS NULL;

CREATE TRIGGER orders_removed_with_differences AFTER DELETE ON orders
BEGIN
  DELETE FROM line_differences WHERE order_id = old.id;
END;

-- As before, with the members of a webhook.
DROP TRIGGER api_keys_added_remembered;
CREATE TRIGGER api_keys_added_remembered AFTER INSERT ON api_keys
BEGIN
  INSERT INTO settings_history_inbox (kind, record_id, resource, name, old_version, version, before, after)
  SELECT 'api_key', new.id, NULL, new.name, NULL, new.version,
    NULL,
    json_object('name', new.name, 'scopes', json(new.scopes), 'partner_id', new.partner_id, 'release', new."release",
      'rate_limit', new.rate_limit, 'own_orders_only', json(iif(new.own_orders_only, 'true', 'false')),
      'reads', new.reads, 'pause', json(new.pause), 'expires_at', new.expires_at, 'revoked_at', new.revoked_at,
      'rotated_from', new.rotated_from, 'webhook', json(new.webhook),
      'webhook_secrets', iif(new.webhook_secrets IS NULL, NULL, json((SELECT json_group_array(
        json_object('set_at', value ->> 'set_at', 'ends_at', value ->> 'ends_at')) FROM json_each(new.webhook_secrets)))));
END;

DROP TRIGGER api_keys_changed_remembered;
CREATE TRIGGER api_keys_changed_remembered
AFTER UPDATE OF name, scopes, partner_id, "release", rate_limit, own_orders_only, reads, pause, expires_at, revoked_at,
  rotated_from, webhook, webhook_secrets
ON api_keys
BEGIN
  INSERT INTO settings_history_inbox (kind, record_id, resource, name, old_version, version, before, after)
  SELECT 'api_key', new.id, NULL, new.name, old.version, new.version,
    json_object('name', old.name, 'scopes', json(old.scopes), 'partner_id', old.partner_id, 'release', old."release",
      'rate_limit', old.rate_limit, 'own_orders_only', json(iif(old.own_orders_only, 'true', 'false')),
      'reads', old.reads, 'pause', json(old.pause), 'expires_at', old.expires_at, 'revoked_at', old.revoked_at,
      'rotated_from', old.rotated_from, 'webhook', json(old.webhook),
      'webhook_secrets', iif(old.webhook_secrets IS NULL, NULL, json((SELECT json_group_array(
        json_object('set_at', value ->> 'set_at', 'ends_at', value ->> 'ends_at')) FROM json_each(old.webhook_secrets))))),
    json_object('name', new.name, 'scopes', json(new.scopes), 'partner_id', new.partner_id, 'release', new."release",
      'rate_limit', new.rate_limit, 'own_orders_only', json(iif(new.own_orders_only, 'true', 'false')),
      'reads', new.reads, 'pause', json(new.pause), 'expires_at', new.expires_at, 'revoked_at', new.revoked_at,
      'rotated_from', new.rotated_from, 'webhook', json(new.webhook),
      'webhook_secrets', iif(new.webhook_secrets IS NULL, NULL, json((SELECT json_group_array(
        json_object('set_at', value ->> 'set_at', 'ends_at', value ->> 'ends_at')) FROM json_each(new.webhook_secrets)))));
END;

DROP TRIGGER api_keys_removed_remembered;
CREATE TRIGGER api_keys_removed_remembered AFTER DELETE ON api_keys
BEGIN
  INSERT INTO settings_history_inbox (kind, record_id, resource, name, old_version, version, before, after)
  SELECT 'api_key', old.id, NULL, old.name, old.version, NULL,
    json_object('name', old.name, 'scopes', json(old.scopes), 'partner_id', old.partner_id, 'release', old."release",
      'rate_limit', old.rate_limit, 'own_orders_only', json(iif(old.own_orders_only, 'true', 'false')),
      'reads', old.reads, 'pause', json(old.pause), 'expires_at', old.expires_at, 'revoked_at', old.revoked_at,
      'rotated_from', old.rotated_from, 'webhook', json(old.webhook),
      'webhook_secrets', iif(old.webhook_secrets IS NULL, NULL, json((SELECT json_group_array(
        json_object('set_at', value ->> 'set_at', 'ends_at', value ->> 'ends_at')) FROM json_each(old.webhook_secrets))))),
    NULL;
END;

-- As before, and a request may connect a system: its row names the partner, and it makes or removes a partner, a mapping and
-- a webhook in one transaction (src/settings/connection.ts).
DROP TRIGGER settings_history_written;
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
      AND (own.record_id = new.record_id OR instr(own.path, '/' || new.record_id || '/') > 0
        OR own.path LIKE '/dashboard/connect/%' AND new.kind = 'api_key' AND new.after ->> 'partner_id' = own.record_id)
      AND iif(new.version IS NULL, own.settings_version >= workspace.settings_version - 1
          AND (own.path LIKE '/dashboard/connect/%/undo/' OR own.path LIKE '%/mappings/' || new.resource || '/%'
            AND (own.method = 'DELETE' OR own.path LIKE '%/delete/')),
        sets_version AND new.version > own.settings_version AND new.version <= own.settings_version
          + iif(own.record_id = new.record_id AND own.path NOT LIKE '/dashboard/connect/%', 1, 3));
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
