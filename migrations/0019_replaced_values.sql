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

-- An upload finds its differences first, applies them, and remembers what they replaced. A slice holds them meanwhile:
-- `rows` are the pairs without a record (src/resources/inventory/upload-statements.ts).
--
-- changed  records with another quantity, [[seq, from, to], ...].
ALTER TABLE inventory_upload_slices ADD COLUMN changed TEXT;
-- How many rows failed because something else was stored than they asked for.
ALTER TABLE inventory_upload_slices ADD COLUMN failed INTEGER;
-- The pairs of those rows, [[number, quantity, first failed row], ...].
ALTER TABLE inventory_upload_slices ADD COLUMN found TEXT;
