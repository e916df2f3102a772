-- Needs code of 0023: code from before reads all stock for each page of the feed of changes.
--
-- The feed finds changed stock by what uploads and undos leave in replaced_values: each slice of stock there names the
-- pairs that its request has changed or created. So a pair has no entry of its own in an index, which was half of the rows
-- that a change wrote. Also with undo_days 0 there are such slices; they do not say what was there before.
DROP INDEX inventory_changed;

ALTER TABLE replaced_values ADD COLUMN changed_place INTEGER NOT NULL GENERATED ALWAYS AS (changed_in * 4 + 2) VIRTUAL;

-- The feed merges the slices with the records of the other resources, and the history of stock walks along them too.
DROP INDEX replaced_values_of_stock;
CREATE INDEX replaced_values_of_stock ON replaced_values (changed_place, position) WHERE resource = 'inventory';

-- The seq of a request. The slices of all later requests are there. With an older cursor, the feed scans `inventory`.
ALTER TABLE workspace ADD COLUMN stock_listed_after INTEGER NOT NULL DEFAULT 0;
UPDATE workspace SET stock_listed_after = coalesce((SELECT max(seq) FROM audit_log), 0);

-- The daily retention deletes slices, the oldest first. The feed needs none that only says what conditions found.
CREATE TRIGGER replaced_values_of_stock_ended AFTER DELETE ON replaced_values
WHEN old.resource = 'inventory' AND old.position <> 2000
  AND old.changed_in > (SELECT stock_listed_after FROM workspace)
BEGIN
  UPDATE workspace SET stock_listed_after = old.changed_in;
END;
