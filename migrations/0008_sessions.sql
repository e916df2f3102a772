-- Sessions of the dashboard. A session is found by the hash of its token, as a key is. Ending one is a change of settings that
-- concerns this session alone, so its next request is refused wherever its caller is remembered.
CREATE TABLE sessions (
  seq        INTEGER PRIMARY KEY,
  id         TEXT NOT NULL UNIQUE,
  -- SHA-256 of the token in the cookie. The token itself is stored nowhere.
  hash       TEXT NOT NULL UNIQUE,
  -- The key that has signed in.
  api_key_id TEXT NOT NULL,
  created_at TEXT NOT NULL,
  ends_at    TEXT NOT NULL,
  -- What the browser calls itself, and where Cloudflare saw it. NULL: unknown.
  device     TEXT,
  place      TEXT,
  -- When somebody has ended it. NULL: nobody has.
  ended_at   TEXT
) STRICT;

-- The sessions of a key, and those that are over.
CREATE INDEX sessions_of_key ON sessions (api_key_id, seq);
CREATE INDEX sessions_over ON sessions (ends_at);

CREATE TRIGGER sessions_ended AFTER UPDATE OF ended_at ON sessions
WHEN old.ended_at IS NULL AND new.ended_at IS NOT NULL
BEGIN
  UPDATE workspace SET settings_version = settings_version + 1;
  INSERT INTO settings_changes (subject, settings_version) SELECT new.id, settings_version FROM workspace WHERE true
    ON CONFLICT (subject) DO UPDATE SET settings_version = excluded.settings_version;
END;

-- Each new session deletes up to ten that have been over for a day, so that the table does not grow without end. By then no
-- cookie leads to them.
CREATE TRIGGER sessions_forgotten AFTER INSERT ON sessions
BEGIN
  DELETE FROM settings_changes WHERE subject IN (
    SELECT id FROM sessions WHERE ends_at < strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-1 day') ORDER BY ends_at LIMIT 10);
  DELETE FROM sessions WHERE seq IN (
    SELECT seq FROM sessions WHERE ends_at < strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-1 day') ORDER BY ends_at LIMIT 10);
END;
