-- The number of live keys is bounded (src/settings/api-keys/bound.ts), so each new key counts them. Ordered
-- by expiry, so that the index also finds keys that expire soon.
CREATE INDEX api_keys_live ON api_keys (expires_at) WHERE revoked_at IS NULL;
