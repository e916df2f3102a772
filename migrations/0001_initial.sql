-- One tenant, one database. This file is the data model; src/db/tables.ts mirrors it and a test
-- holds the two together.
--
-- seq  the order of creation. Lists are paged by it: a timestamp is shared by a bulk insert's rows.
-- id   a UUID, the record's name outside.
-- *_at UTC, ISO 8601 with milliseconds, as text: it sorts as it reads.
--
-- Nothing that another row refers to is ever deleted, so no foreign key cascades.

-- The tenant itself: exactly one row.
CREATE TABLE workspace (
  id                  INTEGER PRIMARY KEY CHECK (id = 1),
  tenant              TEXT NOT NULL,
  name                TEXT NOT NULL,
  integration_enabled INTEGER NOT NULL DEFAULT 1 CHECK (integration_enabled IN (0, 1)),
  -- Goes up with every change to workspace, keys, partners and mappings (triggers below), so that
  -- a cached snapshot of them can be confirmed by one number.
  settings_version    INTEGER NOT NULL DEFAULT 1,
  created_at          TEXT NOT NULL,
  updated_at          TEXT NOT NULL
) STRICT;

-- A system that calls us: a shop, an ERP, a marketplace.
CREATE TABLE partners (
  seq                      INTEGER PRIMARY KEY AUTOINCREMENT,
  id                       TEXT NOT NULL UNIQUE,
  name                     TEXT NOT NULL,
  default_identifier_field TEXT,
  created_at               TEXT NOT NULL,
  updated_at               TEXT NOT NULL,
  deleted_at               TEXT
) STRICT;

CREATE UNIQUE INDEX partners_name ON partners (name) WHERE deleted_at IS NULL;

-- How a partner's documents become ours, per resource.
CREATE TABLE field_mappings (
  partner_id       TEXT NOT NULL REFERENCES partners (id),
  resource         TEXT NOT NULL CHECK (resource IN ('orders', 'products', 'locations', 'inventory')),
  identifier_field TEXT,
  inbound          TEXT CHECK (json_valid(inbound)),
  outbound         TEXT CHECK (json_valid(outbound)),
  updated_at       TEXT NOT NULL,
  PRIMARY KEY (partner_id, resource)
) STRICT, WITHOUT ROWID;

-- Only the SHA-256 of a key is kept; hint (prefix and last four) is what lists show.
CREATE TABLE api_keys (
  seq          INTEGER PRIMARY KEY AUTOINCREMENT,
  id           TEXT NOT NULL UNIQUE,
  hash         TEXT NOT NULL UNIQUE,
  hint         TEXT NOT NULL,
  name         TEXT NOT NULL,
  scopes       TEXT NOT NULL CHECK (json_type(scopes) = 'array'),
  partner_id   TEXT REFERENCES partners (id),
  expires_at   TEXT,
  revoked_at   TEXT,
  rotated_from TEXT REFERENCES api_keys (id),
  created_at   TEXT NOT NULL
) STRICT;

CREATE TABLE products (
  seq           INTEGER PRIMARY KEY AUTOINCREMENT,
  id            TEXT NOT NULL UNIQUE,
  sku           TEXT NOT NULL UNIQUE,
  -- May be negative: a backorder. Independent of inventory.
  quantity      INTEGER NOT NULL DEFAULT 0 CHECK (quantity BETWEEN -2000000000 AND 2000000000),
  is_active     INTEGER NOT NULL DEFAULT 1 CHECK (is_active IN (0, 1)),
  -- Decimal text, never a float.
  cost          TEXT,
  custom_fields TEXT NOT NULL DEFAULT '{}' CHECK (json_type(custom_fields) = 'object'),
  created_at    TEXT NOT NULL,
  updated_at    TEXT NOT NULL
) STRICT;

CREATE INDEX products_active ON products (seq) WHERE is_active = 1;

CREATE TABLE locations (
  seq        INTEGER PRIMARY KEY AUTOINCREMENT,
  id         TEXT NOT NULL UNIQUE,
  code       TEXT NOT NULL UNIQUE,
  name       TEXT,
  zone       TEXT,
  aisle      TEXT,
  metadata   TEXT CHECK (json_type(metadata) = 'object'),
  is_active  INTEGER NOT NULL DEFAULT 1 CHECK (is_active IN (0, 1)),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;

CREATE INDEX locations_active ON locations (seq) WHERE is_active = 1;

CREATE TABLE orders (
  seq               INTEGER PRIMARY KEY AUTOINCREMENT,
  id                TEXT NOT NULL UNIQUE,
  order_number      TEXT NOT NULL UNIQUE,
  external_order_id TEXT,
  partner_id        TEXT REFERENCES partners (id),
  customer_name     TEXT,
  customer_info     TEXT CHECK (json_type(customer_info) = 'object'),
  notes             TEXT,
  order_date        TEXT,
  due_date          TEXT,
  metadata          TEXT CHECK (json_type(metadata) = 'object'),
  status            TEXT NOT NULL DEFAULT 'pending' CHECK (status IN (
    'draft', 'pending', 'in_progress', 'partially_verified', 'verified', 'shipped', 'cancelled')),
  created_at        TEXT NOT NULL,
  updated_at        TEXT NOT NULL,
  cancelled_at      TEXT,
  cancel_reason     TEXT
) STRICT;

-- Not unique: two partners may use the same number of their own.
CREATE INDEX orders_external_order_id ON orders (external_order_id)
  WHERE external_order_id IS NOT NULL;

-- What was shipped or cancelled stays so. Whoever asks for another status is refused, whole batch.
CREATE TRIGGER orders_status_is_final BEFORE UPDATE OF status ON orders
WHEN old.status IN ('shipped', 'cancelled') AND new.status <> old.status
BEGIN
  SELECT RAISE(ABORT, 'orders_status_is_final');
END;

-- A line of an order; position counts from 0, as sent.
CREATE TABLE order_items (
  order_id            TEXT NOT NULL REFERENCES orders (id),
  position            INTEGER NOT NULL,
  id                  TEXT NOT NULL,
  sku_code            TEXT NOT NULL REFERENCES products (sku),
  quantity            INTEGER NOT NULL CHECK (quantity BETWEEN 1 AND 2000000000),
  notes               TEXT,
  verified_quantity   INTEGER NOT NULL DEFAULT 0,
  verification_status TEXT NOT NULL DEFAULT 'pending'
    CHECK (verification_status IN ('pending', 'partial', 'verified')),
  PRIMARY KEY (order_id, position)
) STRICT, WITHOUT ROWID;

-- The quantity of one product at one location. It names both by their codes, which never change:
-- a page of stock is read without a join.
CREATE TABLE inventory (
  seq           INTEGER PRIMARY KEY AUTOINCREMENT,
  location_code TEXT NOT NULL REFERENCES locations (code),
  sku_code      TEXT NOT NULL REFERENCES products (sku),
  quantity      INTEGER NOT NULL CHECK (quantity BETWEEN 0 AND 2000000000),
  UNIQUE (location_code, sku_code)
) STRICT;

-- Each also holds seq, the rowid: stock at a location, or of a SKU, is read in slices by it.
CREATE INDEX inventory_location_code ON inventory (location_code);
CREATE INDEX inventory_sku_code ON inventory (sku_code);

-- Rows of an upload on their way into inventory, [[location_code, sku_code, quantity], ...] as
-- JSON. Empty outside the upload's own transaction.
CREATE TABLE inventory_upload_slices (
  request_id TEXT NOT NULL,
  position   INTEGER NOT NULL,
  -- The newest inventory row before the upload: what is newer, the upload created.
  newest_seq INTEGER NOT NULL,
  rows       TEXT NOT NULL,
  PRIMARY KEY (request_id, position)
) STRICT;

-- One row for each request of a known key. A write's row is the first statement of its own
-- transaction and holds that transaction together:
--   settings_version is NOT NULL and read from workspace: where settings have moved on since the
--                    caller was looked up, the write is refused;
--   record_id        is what the write is about, and every later statement finds it here: where
--                    nothing matches the identifier, the write is refused;
--   request_id       is UNIQUE: a write whose answer was lost and that is tried again meets itself.
CREATE TABLE audit_log (
  seq              INTEGER PRIMARY KEY AUTOINCREMENT,
  request_id       TEXT NOT NULL UNIQUE,
  created_at       TEXT NOT NULL,
  settings_version INTEGER NOT NULL,
  record_id        TEXT,
  api_key_id       TEXT NOT NULL,
  api_key_name     TEXT NOT NULL,
  partner_id       TEXT,
  partner_name     TEXT,
  method           TEXT NOT NULL,
  path             TEXT NOT NULL,
  status           INTEGER NOT NULL,
  error_code       TEXT,
  duration_ms      INTEGER NOT NULL,
  -- Of an inventory upload only.
  source           TEXT,
  notes            TEXT,
  rows_total       INTEGER,
  rows_created     INTEGER,
  rows_failed      INTEGER,
  rows_updated     INTEGER GENERATED ALWAYS AS (rows_total - rows_created - rows_failed),
  CONSTRAINT audit_log_write_names_record CHECK (
    record_id IS NOT NULL OR status >= 400 OR method IN ('GET', 'HEAD'))
) STRICT;

CREATE INDEX audit_log_created_at ON audit_log (created_at);
CREATE INDEX audit_log_api_key_id ON audit_log (api_key_id);
CREATE INDEX audit_log_partner_id ON audit_log (partner_id) WHERE partner_id IS NOT NULL;

-- Nobody locks a tenant out by one call: a change that would leave no live key with settings.write
-- is refused. Where one did not expire, one that does not expire must be left.
CREATE TRIGGER api_keys_keep_settings_access
AFTER UPDATE OF scopes, expires_at, revoked_at ON api_keys
WHEN EXISTS (SELECT 1 FROM json_each(old.scopes) WHERE value IN ('settings.*', 'settings.write'))
  AND NOT EXISTS (
    SELECT 1 FROM api_keys, json_each(api_keys.scopes) AS scope
    WHERE scope.value IN ('settings.*', 'settings.write')
      AND api_keys.revoked_at IS NULL
      AND (api_keys.expires_at IS NULL OR (
        old.expires_at IS NOT NULL
        AND api_keys.expires_at > strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))))
BEGIN
  SELECT RAISE(ABORT, 'api_keys_keep_settings_access');
END;

-- A key is never linked to a partner that has been deleted, and one that is gains no time.
CREATE TRIGGER api_keys_added_to_deleted_partner BEFORE INSERT ON api_keys
WHEN EXISTS (SELECT 1 FROM partners WHERE id = new.partner_id AND deleted_at IS NOT NULL)
BEGIN
  SELECT RAISE(ABORT, 'api_keys_partner_is_deleted');
END;

CREATE TRIGGER api_keys_kept_with_deleted_partner BEFORE UPDATE OF partner_id, expires_at ON api_keys
WHEN EXISTS (SELECT 1 FROM partners WHERE id = new.partner_id AND deleted_at IS NOT NULL)
BEGIN
  SELECT RAISE(ABORT, 'api_keys_partner_is_deleted');
END;

-- settings_version, kept by the database so that no way of changing settings can forget it.
CREATE TRIGGER workspace_changed AFTER UPDATE OF tenant, name, integration_enabled ON workspace
BEGIN UPDATE workspace SET settings_version = settings_version + 1; END;

CREATE TRIGGER api_keys_added AFTER INSERT ON api_keys
BEGIN UPDATE workspace SET settings_version = settings_version + 1; END;

CREATE TRIGGER api_keys_changed AFTER UPDATE ON api_keys
BEGIN UPDATE workspace SET settings_version = settings_version + 1; END;

CREATE TRIGGER partners_added AFTER INSERT ON partners
BEGIN UPDATE workspace SET settings_version = settings_version + 1; END;

CREATE TRIGGER partners_changed AFTER UPDATE ON partners
BEGIN UPDATE workspace SET settings_version = settings_version + 1; END;

CREATE TRIGGER field_mappings_added AFTER INSERT ON field_mappings
BEGIN UPDATE workspace SET settings_version = settings_version + 1; END;

CREATE TRIGGER field_mappings_changed AFTER UPDATE ON field_mappings
BEGIN UPDATE workspace SET settings_version = settings_version + 1; END;

CREATE TRIGGER field_mappings_removed AFTER DELETE ON field_mappings
BEGIN UPDATE workspace SET settings_version = settings_version + 1; END;
