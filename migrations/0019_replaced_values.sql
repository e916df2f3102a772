-- What each write replaced, so that it can be taken back and history can be shown: JSON, in slices of at most 1 MB for
-- each request. It is kept for undo_days, and not at all with 0.
CREATE TABLE replaced_values (
  -- The `seq` of the request's audit row. The daily retention deletes all below a boundary.
  changed_in INTEGER NOT NULL,
  position   INTEGER NOT NULL,
  resource   TEXT NOT NULL CHECK (resource IN ('orders', 'products', 'locations', 'inventory')),
  replaced   TEXT NOT NULL,
  PRIMARY KEY (changed_in, position)
) STRICT, WITHOUT ROWID;

ALTER TABLE workspace ADD COLUMN undo_days INTEGER NOT NULL DEFAULT 7 CHECK (undo_days BETWEEN 0 AND 90);
