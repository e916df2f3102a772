-- Needs code of 0020: code from before does not know dry_run and makes the change that it only asks about.
-- Whether the request was a dry run: it has the status that the write would have had, and nothing was written.
ALTER TABLE audit_log ADD COLUMN dry_run INTEGER NOT NULL DEFAULT 0 CHECK (dry_run IN (0, 1));
