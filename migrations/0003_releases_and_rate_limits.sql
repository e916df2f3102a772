-- What a key is held to beside its scopes.

-- The release of the integrations API that its client was built against. Which releases there are is
-- src/releases/'s to say: one that has been taken out is answered with 410.
ALTER TABLE api_keys ADD COLUMN "release" TEXT NOT NULL DEFAULT 'current';

-- Requests a minute; NULL: as many as it likes.
ALTER TABLE api_keys ADD COLUMN rate_limit INTEGER CHECK (rate_limit BETWEEN 1 AND 30000);
