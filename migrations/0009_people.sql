-- People: who signs in to the dashboard as himself. A person is a row of api_keys of a third kind, so that scopes, the audit log,
-- the history and revocation hold for people as they do for keys. Nobody knows the value whose hash the row has.
--
-- email  Who it is, in lower case, as Cloudflare Access tells it. NULL: the row is a key or a webhook. A person belongs to no
--        partner.
ALTER TABLE api_keys ADD COLUMN email TEXT CHECK (email IS NULL OR (
  email = lower(email) AND partner_id IS NULL AND webhook IS NULL));

-- Needs code of 0001: no code from before writes an address, so the unique index refuses it nothing.

-- Finds the person who signs in, and lists people. No key or webhook writes a row here.
CREATE UNIQUE INDEX api_keys_people ON api_keys (email) WHERE email IS NOT NULL AND revoked_at IS NULL;
CREATE INDEX api_keys_people_listed ON api_keys (seq) WHERE email IS NOT NULL;

-- As before, but a person does not count: without Access, nobody could sign in as one.
DROP TRIGGER api_keys_keep_settings_access;
CREATE TRIGGER api_keys_keep_settings_access AFTER UPDATE OF scopes, expires_at, revoked_at ON api_keys
WHEN old.revoked_at IS NULL AND old.email IS NULL
  AND EXISTS (
    SELECT 1 FROM json_each(old.scopes)
    WHERE value IN ('settings.*', 'settings.write', 'settings.keys.*', 'settings.keys.write'))
  AND NOT EXISTS (
    SELECT 1 FROM api_keys, json_each(api_keys.scopes) AS scope
    WHERE scope.value IN ('settings.*', 'settings.write', 'settings.keys.*', 'settings.keys.write')
      AND api_keys.revoked_at IS NULL AND api_keys.email IS NULL
      AND (api_keys.expires_at IS NULL OR (
        old.expires_at IS NOT NULL
        AND api_keys.expires_at > strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))))
BEGIN
  SELECT RAISE(ABORT, 'api_keys_keep_settings_access');
END;

-- As before, with the e-mail address of a person.
DROP TRIGGER api_keys_added_remembered;
CREATE TRIGGER api_keys_added_remembered AFTER INSERT ON api_keys
BEGIN
  INSERT INTO settings_history_inbox (kind, record_id, resource, name, old_version, version, before, after)
  SELECT 'api_key', new.id, NULL, new.name, NULL, new.version,
    NULL,
    json_object('name', new.name, 'scopes', json(new.scopes), 'partner_id', new.partner_id, 'release', new."release",
      'rate_limit', new.rate_limit, 'own_orders_only', json(iif(new.own_orders_only, 'true', 'false')),
      'reads', new.reads, 'pause', json(new.pause), 'expires_at', new.expires_at, 'revoked_at', new.revoked_at,
      'rotated_from', new.rotated_from, 'email', new.email, 'webhook', json(new.webhook),
      'webhook_secrets', iif(new.webhook_secrets IS NULL, NULL, json((SELECT json_group_array(
        json_object('set_at', value ->> 'set_at', 'ends_at', value ->> 'ends_at')) FROM json_each(new.webhook_secrets)))));
END;

DROP TRIGGER api_keys_changed_remembered;
CREATE TRIGGER api_keys_changed_remembered
AFTER UPDATE OF name, scopes, partner_id, "release", rate_limit, own_orders_only, reads, pause, expires_at, revoked_at,
  rotated_from, email, webhook, webhook_secrets
ON api_keys
BEGIN
  INSERT INTO settings_history_inbox (kind, record_id, resource, name, old_version, version, before, after)
  SELECT 'api_key', new.id, NULL, new.name, old.version, new.version,
    json_object('name', old.name, 'scopes', json(old.scopes), 'partner_id', old.partner_id, 'release', old."release",
      'rate_limit', old.rate_limit, 'own_orders_only', json(iif(old.own_orders_only, 'true', 'false')),
      'reads', old.reads, 'pause', json(old.pause), 'expires_at', old.expires_at, 'revoked_at', old.revoked_at,
      'rotated_from', old.rotated_from, 'email', old.email, 'webhook', json(old.webhook),
      'webhook_secrets', iif(old.webhook_secrets IS NULL, NULL, json((SELECT json_group_array(
        json_object('set_at', value ->> 'set_at', 'ends_at', value ->> 'ends_at')) FROM json_each(old.webhook_secrets))))),
    json_object('name', new.name, 'scopes', json(new.scopes), 'partner_id', new.partner_id, 'release', new."release",
      'rate_limit', new.rate_limit, 'own_orders_only', json(iif(new.own_orders_only, 'true', 'false')),
      'reads', new.reads, 'pause', json(new.pause), 'expires_at', new.expires_at, 'revoked_at', new.revoked_at,
      'rotated_from', new.rotated_from, 'email', new.email, 'webhook', json(new.webhook),
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
      'rotated_from', old.rotated_from, 'email', old.email, 'webhook', json(old.webhook),
      'webhook_secrets', iif(old.webhook_secrets IS NULL, NULL, json((SELECT json_group_array(
        json_object('set_at', value ->> 'set_at', 'ends_at', value ->> 'ends_at')) FROM json_each(old.webhook_secrets))))),
    NULL;
END;
