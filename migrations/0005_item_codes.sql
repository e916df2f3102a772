-- Item codes: the numbers by which a partner names our products and locations. Documents have them where the mapping says so.

CREATE TABLE item_codes (
  partner_id  TEXT NOT NULL,
  -- What the code stands for.
  kind        TEXT NOT NULL CHECK (kind IN ('products', 'locations')),
  -- The number of the partner.
  code        TEXT NOT NULL,
  -- Our SKU, or our code of the location. The record need not exist yet.
  record_name TEXT NOT NULL,
  -- How many of our pieces one of theirs is. A location has 1.
  units       INTEGER NOT NULL DEFAULT 1 CHECK (units BETWEEN 1 AND 1000000 AND (kind = 'products' OR units = 1)),
  PRIMARY KEY (partner_id, kind, code)
) STRICT, WITHOUT ROWID;

-- What is known of all codes of one kind of a partner. Each change of codes writes it in its transaction.
CREATE TABLE item_code_tables (
  partner_id TEXT NOT NULL REFERENCES partners (id),
  kind       TEXT NOT NULL CHECK (kind IN ('products', 'locations')),
  -- How many codes there are.
  codes      INTEGER NOT NULL DEFAULT 0,
  -- Rises with each change. A write that has read codes before checks that it is still the same. It is no settings_version:
  -- no snapshot has codes.
  version    INTEGER NOT NULL DEFAULT 0,
  -- What the last change has done.
  created    INTEGER NOT NULL DEFAULT 0,
  updated    INTEGER NOT NULL DEFAULT 0,
  removed    INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (partner_id, kind),
  CONSTRAINT item_codes_have_room CHECK (codes <= 200000)
) STRICT, WITHOUT ROWID;

-- A new code, or another meaning of it, marks what waits for it.
CREATE TRIGGER item_codes_added_free_deliveries AFTER INSERT ON item_codes
BEGIN
  UPDATE waiting_deliveries SET is_due = 1
    WHERE needs = iif(new.kind = 'products', 'product_code', 'location_code') AND needs_code = new.code
      AND partner_id = new.partner_id;
END;

CREATE TRIGGER item_codes_changed_free_deliveries AFTER UPDATE ON item_codes
BEGIN
  UPDATE waiting_deliveries SET is_due = 1
    WHERE needs = iif(new.kind = 'products', 'product_code', 'location_code') AND needs_code = new.code
      AND partner_id = new.partner_id;
END;

-- A mapping may let our own code of the same text stand for itself.
CREATE TRIGGER products_added_free_codes AFTER INSERT ON products
BEGIN
  UPDATE waiting_deliveries SET is_due = 1 WHERE needs = 'product_code' AND needs_code = new.sku;
END;

CREATE TRIGGER locations_added_free_codes AFTER INSERT ON locations
BEGIN
  UPDATE waiting_deliveries SET is_due = 1 WHERE needs = 'location_code' AND needs_code = new.code;
END;
