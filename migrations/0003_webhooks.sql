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
  'created', 'updated', 'unchanged', 'cancelled', 'deactivated', 'uploaded', 'skipped', 'stale', 'superseded', 'dismissed',
  'waiting'));
ALTER TABLE audit_log ADD COLUMN sender_event TEXT;
ALTER TABLE audit_log ADD COLUMN sender_id TEXT;

-- How new the document is that was applied last, of each partner and record: also of a record that is not there, whose
-- cancellation came before its creation. The daily cron deletes rows after 90 days.
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
