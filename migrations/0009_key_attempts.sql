-- Requests whose key was refused. Those with an unknown key are in no audit log, so a partner with a mistyped
-- key would look silent. No trigger: no settings version moves.
CREATE TABLE key_attempts (
  -- What is shown of the key (src/identity/key.ts), or 'other' beyond the number of hints that are told apart.
  hint      TEXT NOT NULL,
  reason    TEXT NOT NULL,
  count     INTEGER NOT NULL CHECK (count > 0),
  first_at  TEXT NOT NULL,
  last_at   TEXT NOT NULL,
  -- The bundle of attempts that was added last. If it is sent again because its answer was lost, the row stays.
  bundle_id TEXT NOT NULL,
  PRIMARY KEY (hint, reason)
) STRICT, WITHOUT ROWID;
