-- What the overview tells, and cannot find out within its bounds.

-- When the newest backup was taken. NULL: none was.
ALTER TABLE workspace ADD COLUMN backed_up_at TEXT;

-- What the daily check-up found of a partner that had sent something.
CREATE TABLE check_ups (
  partner_id TEXT NOT NULL PRIMARY KEY,
  checked_at TEXT NOT NULL,
  -- The kinds of the findings, as a JSON list.
  kinds      TEXT NOT NULL CHECK (json_type(kinds) = 'array')
) STRICT, WITHOUT ROWID;

-- Partners with findings, the newest first. A partner without findings has no entry.
CREATE INDEX check_ups_found ON check_ups (checked_at) WHERE kinds <> '[]';
