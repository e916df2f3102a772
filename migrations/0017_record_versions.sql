-- Needs code of 0017: code from before changes records without counting, so If-Match lets overtaken changes through.
-- How often the record has been changed, counted from 1: the first part of its ETag. Each statement that changes a record
-- counts it up; one that would leave the record as it is changes no row. The lines of an order belong to the order.
ALTER TABLE orders ADD COLUMN version INTEGER NOT NULL DEFAULT 1;
ALTER TABLE products ADD COLUMN version INTEGER NOT NULL DEFAULT 1;
ALTER TABLE locations ADD COLUMN version INTEGER NOT NULL DEFAULT 1;
