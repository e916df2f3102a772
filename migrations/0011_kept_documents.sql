-- Whether the document of a request is kept, as far as its row knows (src/audit/documents/). Both NULL: none
-- was meant to be.
-- Until when, in ms since 1970. The row of a write says so before the document is stored.
ALTER TABLE audit_log ADD COLUMN document_until INTEGER;
-- Why it is not kept although it was meant to be, or not any longer.
ALTER TABLE audit_log ADD COLUMN document_reason TEXT CHECK (document_until IS NULL OR document_reason IS NULL);
