-- Of a list: whether the request asked for the first of several pages, or for a further one. The check-up finds
-- partners by it that never ask for a second page. Without an index: no request writes a row more.
ALTER TABLE audit_log ADD COLUMN list_page TEXT CHECK (list_page IN ('first', 'next'));

-- Of a request that an administrator has sent again: the id of the one that it repeats.
ALTER TABLE audit_log ADD COLUMN replay_of TEXT;
