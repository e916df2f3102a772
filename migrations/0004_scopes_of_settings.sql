-- Each part of the settings has its own scopes, below settings.read and settings.write. A key can grant only
-- scopes that it has itself (src/settings/api-keys/grant.ts).

-- Until now a key with settings.* or settings.write could grant any scope, also to itself. It gets
-- integrations.*, so that it can still create keys for the integrations API. Revoked and expired keys do not
-- need that.
UPDATE api_keys SET scopes = json_insert(scopes, '$[#]', 'integrations.*')
WHERE revoked_at IS NULL
  AND (expires_at IS NULL OR expires_at > strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
  AND EXISTS (SELECT 1 FROM json_each(api_keys.scopes) WHERE value IN ('settings.*', 'settings.write'))
  AND NOT EXISTS (SELECT 1 FROM json_each(api_keys.scopes) WHERE value = 'integrations.*');

-- No single call can lock a tenant out: a change is refused if it leaves no live key that may write keys. If
-- the changed key did not expire, a key that does not expire must remain. A revoked key may change freely.
DROP TRIGGER api_keys_keep_settings_access;

CREATE TRIGGER api_keys_keep_settings_access
AFTER UPDATE OF scopes, expires_at, revoked_at ON api_keys
WHEN old.revoked_at IS NULL
  AND EXISTS (
    SELECT 1 FROM json_each(old.scopes)
    WHERE value IN ('settings.*', 'settings.write', 'settings.keys.*', 'settings.keys.write'))
  AND NOT EXISTS (
    SELECT 1 FROM api_keys, json_each(api_keys.scopes) AS scope
    WHERE scope.value IN ('settings.*', 'settings.write', 'settings.keys.*', 'settings.keys.write')
      AND api_keys.revoked_at IS NULL
      AND (api_keys.expires_at IS NULL OR (
        old.expires_at IS NOT NULL
        AND api_keys.expires_at > strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))))
BEGIN
  SELECT RAISE(ABORT, 'api_keys_keep_settings_access');
END;
