-- The size of an order's lines as JSON, in bytes. A request knows it before it reads them: the lines of a
-- large order are read separately. NULL for an order that is older than this column.
ALTER TABLE orders ADD COLUMN items_bytes INTEGER;
