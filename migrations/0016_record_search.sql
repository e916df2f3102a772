-- Search finds records by the beginning of a name, in any case. NOCASE is that of A-Z; src/document/search/ adds the two
-- cases of other letters. Identifiers are found along the indexes that they have already. Among records of the same name
-- the newest is first.
CREATE INDEX orders_customer_name ON orders (customer_name COLLATE NOCASE, created_seq DESC)
  WHERE customer_name IS NOT NULL;
CREATE INDEX locations_name ON locations (name COLLATE NOCASE, seq DESC) WHERE name IS NOT NULL;
CREATE INDEX locations_zone ON locations (zone COLLATE NOCASE, seq DESC) WHERE zone IS NOT NULL;
CREATE INDEX locations_aisle ON locations (aisle COLLATE NOCASE, seq DESC) WHERE aisle IS NOT NULL;
