-- The data model: one tenant, one database. First the tables, then the indexes with the look-up that each serves, then
-- the triggers with the rule that each holds. src/engine/db/tables.ts has the same columns, and a test compares both.
--
-- seq   The order of creation. Lists are paged by it, because the rows of a bulk insert share their timestamp.
-- id    A UUID, by which others name the record.
-- *_at  UTC, ISO 8601 with milliseconds, as text: the order of the texts is the order of the times.
--
-- Four columns of each record serve the feed of changes and If-Match:
--
-- version        How often the record has been changed, counted from 1. It is part of the ETag. A statement that changes
--                a record increments it. A statement that leaves the record as it is changes no row.
-- changed_in     The seq of the audit row of the request that changed the record last. The audit row is the first
--                statement of a write, so these numbers rise in the order of commits. 0: no request has changed it.
-- changed_by     The id of that request. It stays when the audit row is archived.
-- changed_place  The place in the feed, beside seq: changed_in * 4 plus the number of the resource, so no two
--                resources share a place.
--
-- No code deletes a row to which another row refers, so no foreign key cascades.

-- The tenant itself: exactly one row.
CREATE TABLE workspace (
  id                   INTEGER PRIMARY KEY CHECK (id = 1),
  tenant               TEXT NOT NULL,
  name                 TEXT NOT NULL,
  integration_enabled  INTEGER NOT NULL DEFAULT 1 CHECK (integration_enabled IN (0, 1)),
  -- Triggers increment it with each change of workspace, keys, partners and mappings. So one number confirms a cached
  -- snapshot of them.
  settings_version     INTEGER NOT NULL DEFAULT 1,
  created_at           TEXT NOT NULL,
  updated_at           TEXT NOT NULL,
  -- In days of 24 hours. The daily cron deletes older rows of the audit log, also archived ones.
  audit_retention_days INTEGER NOT NULL DEFAULT 365 CHECK (audit_retention_days BETWEEN 1 AND 3650),
  -- Which documents of keys without a partner are kept (src/engine/redaction/policy.ts). NULL: none.
  keep_documents       TEXT CHECK (json_type(keep_documents) = 'object'),
  -- Cursors of the feed of changes hold this number. It changes when the database is restored or moved, because then the
  -- values of changed_in are given out again.
  changes_epoch        INTEGER NOT NULL DEFAULT 1,
  -- How long replaced_values are kept. 0: not at all.
  undo_days            INTEGER NOT NULL DEFAULT 7 CHECK (undo_days BETWEEN 0 AND 90),
  -- Since when replaced_values are complete. NULL: since the workspace exists.
  remembered_since     TEXT,
  -- replaced_values has the stock changes of all requests with a higher seq. With an older cursor the feed scans
  -- inventory.
  stock_listed_after   INTEGER NOT NULL DEFAULT 0,
  -- Older rows of the audit log move to R2 (src/engine/log/archive/). From audit_retention_days on, none do.
  audit_hot_days       INTEGER NOT NULL DEFAULT 30 CHECK (audit_hot_days BETWEEN 1 AND 3650)
) STRICT;

-- The settings_version at which something that callers depend on has changed last. A request is refused for old settings
-- only if this concerns its own key, its partner with the mappings, or the workspace.
CREATE TABLE settings_changes (
  -- The id of a key or of a partner, or the word workspace, which concerns every caller, or the words without a partner,
  -- which concern the callers that have none. No row: unchanged since it was created.
  subject          TEXT PRIMARY KEY,
  settings_version INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- A system that calls the API: a shop, an ERP, a marketplace.
CREATE TABLE partners (
  seq                      INTEGER PRIMARY KEY AUTOINCREMENT,
  id                       TEXT NOT NULL UNIQUE,
  name                     TEXT NOT NULL,
  default_identifier_field TEXT,
  created_at               TEXT NOT NULL,
  updated_at               TEXT NOT NULL,
  deleted_at               TEXT,
  -- Which documents of the keys of this partner are kept (src/engine/redaction/policy.ts). NULL: none.
  keep_documents           TEXT CHECK (json_type(keep_documents) = 'object')
) STRICT;

-- How the documents of a partner become records, and records its documents.
CREATE TABLE field_mappings (
  partner_id       TEXT NOT NULL REFERENCES partners (id),
  resource         TEXT NOT NULL CHECK (resource IN ('orders', 'products', 'locations', 'inventory')),
  identifier_field TEXT,
  inbound          TEXT CHECK (json_valid(inbound)),
  outbound         TEXT CHECK (json_valid(outbound)),
  updated_at       TEXT NOT NULL,
  PRIMARY KEY (partner_id, resource)
) STRICT, WITHOUT ROWID;

CREATE TABLE api_keys (
  seq             INTEGER PRIMARY KEY AUTOINCREMENT,
  id              TEXT NOT NULL UNIQUE,
  -- SHA-256. The key itself is stored nowhere.
  hash            TEXT NOT NULL UNIQUE,
  -- The prefix and the last four characters, which lists show.
  hint            TEXT NOT NULL,
  name            TEXT NOT NULL,
  scopes          TEXT NOT NULL CHECK (json_type(scopes) = 'array'),
  partner_id      TEXT REFERENCES partners (id),
  expires_at      TEXT,
  revoked_at      TEXT,
  rotated_from    TEXT REFERENCES api_keys (id),
  created_at      TEXT NOT NULL,
  -- The release of the integrations API for which the client was built. src/engine/releases/ lists them, a key of a release
  -- that has ended gets 410.
  "release"       TEXT NOT NULL DEFAULT 'current',
  -- Requests a minute. NULL: no limit.
  rate_limit      INTEGER CHECK (rate_limit BETWEEN 1 AND 30000),
  -- For such a key no orders exist but those of its partner.
  own_orders_only INTEGER NOT NULL DEFAULT 0 CONSTRAINT api_keys_own_orders_need_partner CHECK (
    own_orders_only IN (0, 1) AND (own_orders_only = 0 OR partner_id IS NOT NULL)),
  -- From where the key reads: the primary database, or the nearest copy, which may lag.
  reads           TEXT NOT NULL DEFAULT 'primary' CHECK (reads IN ('primary', 'near'))
) STRICT;

-- Requests whose key was refused. An unknown key has no audit row, so this table shows that a partner has a mistyped key.
-- It has no trigger: no settings_version moves.
CREATE TABLE key_attempts (
  -- What is shown of the key (src/engine/identity/key.ts). The word other counts what is beyond the number of hints that are
  -- told apart.
  hint      TEXT NOT NULL,
  reason    TEXT NOT NULL,
  count     INTEGER NOT NULL CHECK (count > 0),
  first_at  TEXT NOT NULL,
  last_at   TEXT NOT NULL,
  -- The bundle of attempts that was added last. If it is sent again because the answer was lost, the row stays.
  bundle_id TEXT NOT NULL,
  PRIMARY KEY (hint, reason)
) STRICT, WITHOUT ROWID;

CREATE TABLE products (
  seq           INTEGER PRIMARY KEY AUTOINCREMENT,
  id            TEXT NOT NULL UNIQUE,
  sku           TEXT NOT NULL UNIQUE,
  -- Independent of inventory. A negative quantity is a backorder.
  quantity      INTEGER NOT NULL DEFAULT 0 CHECK (quantity BETWEEN -2000000000 AND 2000000000),
  is_active     INTEGER NOT NULL DEFAULT 1 CHECK (is_active IN (0, 1)),
  -- Decimal text, never a float.
  cost          TEXT,
  custom_fields TEXT NOT NULL DEFAULT '{}' CHECK (json_type(custom_fields) = 'object'),
  created_at    TEXT NOT NULL,
  updated_at    TEXT NOT NULL,
  version       INTEGER NOT NULL DEFAULT 1,
  changed_in    INTEGER NOT NULL DEFAULT 0,
  changed_by    TEXT,
  changed_place INTEGER NOT NULL GENERATED ALWAYS AS (changed_in * 4) VIRTUAL
) STRICT;

CREATE TABLE locations (
  seq           INTEGER PRIMARY KEY AUTOINCREMENT,
  id            TEXT NOT NULL UNIQUE,
  code          TEXT NOT NULL UNIQUE,
  name          TEXT,
  zone          TEXT,
  aisle         TEXT,
  metadata      TEXT CHECK (json_type(metadata) = 'object'),
  is_active     INTEGER NOT NULL DEFAULT 1 CHECK (is_active IN (0, 1)),
  created_at    TEXT NOT NULL,
  updated_at    TEXT NOT NULL,
  version       INTEGER NOT NULL DEFAULT 1,
  changed_in    INTEGER NOT NULL DEFAULT 0,
  changed_by    TEXT,
  changed_place INTEGER NOT NULL GENERATED ALWAYS AS (changed_in * 4 + 1) VIRTUAL
) STRICT;

-- The quantity of one product at one location. The row holds both codes, which never change, so a page of stock needs no
-- join. Stock has no version: an upload that has a condition compares quantities.
CREATE TABLE inventory (
  seq           INTEGER PRIMARY KEY AUTOINCREMENT,
  location_code TEXT NOT NULL REFERENCES locations (code),
  sku_code      TEXT NOT NULL REFERENCES products (sku),
  quantity      INTEGER NOT NULL CHECK (quantity BETWEEN 0 AND 2000000000),
  changed_in    INTEGER NOT NULL DEFAULT 0,
  changed_by    TEXT,
  changed_at    TEXT,
  changed_place INTEGER NOT NULL GENERATED ALWAYS AS (changed_in * 4 + 2) VIRTUAL,
  UNIQUE (location_code, sku_code)
) STRICT;

-- The rows of an upload while its transaction runs (src/records/inventory/upload-statements.ts). Otherwise empty.
CREATE TABLE inventory_upload_slices (
  request_id TEXT NOT NULL,
  position   INTEGER NOT NULL,
  -- The newest inventory row before the upload: the upload created what is newer.
  newest_seq INTEGER NOT NULL,
  -- JSON: [[location_code, sku_code, quantity], ...]. First all pairs, then those without a record.
  rows       TEXT NOT NULL,
  -- JSON: [[seq, from, to], ...], the records with another quantity.
  changed    TEXT,
  -- How many rows failed because their condition was not met.
  failed     INTEGER,
  -- JSON: [[number, quantity, first failed row], ...], the pairs of those rows.
  found      TEXT,
  PRIMARY KEY (request_id, position)
) STRICT;

CREATE TABLE orders (
  seq               INTEGER PRIMARY KEY AUTOINCREMENT,
  id                TEXT NOT NULL UNIQUE,
  order_number      TEXT NOT NULL UNIQUE,
  -- Not unique: two partners may use the same number.
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
  cancel_reason     TEXT,
  -- The size of the lines as JSON. A request knows it before it reads them, and reads the lines of a large order
  -- separately. NULL: unknown, because something else than the API has stored the order.
  items_bytes       INTEGER,
  -- seq under another name. SQLite finds a place within the orders of one moment in an index only if the index does not
  -- call it rowid.
  created_seq       INTEGER NOT NULL GENERATED ALWAYS AS (seq) VIRTUAL,
  version           INTEGER NOT NULL DEFAULT 1,
  changed_in        INTEGER NOT NULL DEFAULT 0,
  changed_by        TEXT,
  changed_place     INTEGER NOT NULL GENERATED ALWAYS AS (changed_in * 4 + 3) VIRTUAL
) STRICT;

-- The lines of an order. They belong to it: the version of the order is theirs too.
CREATE TABLE order_items (
  order_id            TEXT NOT NULL REFERENCES orders (id),
  -- Counted from 0, in the order of the request.
  position            INTEGER NOT NULL,
  id                  TEXT NOT NULL,
  sku_code            TEXT NOT NULL REFERENCES products (sku),
  quantity            INTEGER NOT NULL CHECK (quantity BETWEEN 1 AND 2000000000),
  notes               TEXT,
  verified_quantity   INTEGER NOT NULL DEFAULT 0,
  verification_status TEXT NOT NULL DEFAULT 'pending' CHECK (verification_status IN ('pending', 'partial', 'verified')),
  PRIMARY KEY (order_id, position)
) STRICT, WITHOUT ROWID;

-- What each write has replaced: JSON in slices of at most 1 MB for each request, kept for undo_days. Undo and history read
-- it. The feed of changes finds changed stock by it, so uploads leave slices even with undo_days 0. These do not say what
-- was there before.
CREATE TABLE replaced_values (
  -- The seq of the audit row of the request. The daily cron deletes all below a boundary.
  changed_in    INTEGER NOT NULL,
  position      INTEGER NOT NULL,
  resource      TEXT NOT NULL CHECK (resource IN ('orders', 'products', 'locations', 'inventory')),
  replaced      TEXT NOT NULL,
  changed_place INTEGER NOT NULL GENERATED ALWAYS AS (changed_in * 4 + 2) VIRTUAL,
  PRIMARY KEY (changed_in, position)
) STRICT, WITHOUT ROWID;

-- One row for each request of a known key. The row of a write is the first statement of its transaction and guards it:
--
-- settings_version  is NOT NULL and read from workspace. If the settings have changed since the caller was looked up, it
--                   is NULL, and D1 refuses the write.
-- record_id         names the record of the write, and every later statement finds it here. If no record matches the
--                   identifier, it is NULL, and D1 refuses the write.
-- request_id        is unique. A write that is tried again because its answer was lost meets its own row.
--
-- Each request writes this row and one more for each index that holds it.
CREATE TABLE audit_log (
  -- Rises in the order of commits. AUTOINCREMENT would write one more row each time. Retention never deletes the newest
  -- row, so no number is given out twice.
  seq              INTEGER PRIMARY KEY,
  -- A UUID of version 7, which begins with created_at in ms. Of a request that is sent again in a run, one of version 8,
  -- which tells no time.
  request_id       TEXT NOT NULL,
  -- Without an index of its own: a row is stored at most some minutes after this time, so seq leads to it
  -- (src/engine/db/log-position.ts).
  created_at       TEXT NOT NULL,
  settings_version INTEGER NOT NULL,
  -- Of a record that came among others and was refused, the request of the document, as in replay_of.
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
  -- The next six: of an upload of stock only.
  source           TEXT,
  notes            TEXT,
  rows_total       INTEGER,
  rows_created     INTEGER,
  rows_failed      INTEGER,
  rows_updated     INTEGER GENERATED ALWAYS AS (rows_total - rows_created - rows_failed),
  -- The order number, SKU or location code. NULL for lists, uploads and settings.
  record_name      TEXT,
  -- Why the request was refused, or rows of an upload failed (src/engine/log/explanation.ts).
  message          TEXT,
  details          TEXT CHECK (json_type(details) = 'object'),
  -- The fields that the error names, ours and those of the partner, without indexes, each between line breaks.
  error_fields     TEXT,
  -- Until when the document of the request is kept, in ms since 1970. The row of a write says so before the document is
  -- stored. NULL in this and the next column: it was not to be kept.
  document_until   INTEGER,
  -- Why it is not kept although it was to be, or why no longer.
  document_reason  TEXT CHECK (document_until IS NULL OR document_reason IS NULL),
  -- Whether a request of a list asked for the first of several pages, or for a further one. The check-up finds partners
  -- that never ask for a second page.
  list_page        TEXT CHECK (list_page IN ('first', 'next')),
  -- The request_id of the request that this one sends again, or whose document has the record that this one creates.
  replay_of        TEXT,
  -- The status is the one that the write would have had, and nothing was written.
  dry_run          INTEGER NOT NULL DEFAULT 0 CHECK (dry_run IN (0, 1)),
  -- The key and its partner at that time.
  caller           TEXT NOT NULL GENERATED ALWAYS AS (api_key_id || ' ' || coalesce(partner_id, '')),
  CONSTRAINT audit_log_write_names_record CHECK (
    record_id IS NOT NULL OR status >= 400 OR method IN ('GET', 'HEAD'))
) STRICT;

-- The objects in R2 that hold archived rows of the audit log. One batch adds an object here and deletes its rows there, so
-- each row is in one of both. A database that is set back in time knows the objects that it had then.
CREATE TABLE audit_archives (
  last_seq  INTEGER PRIMARY KEY,
  first_seq INTEGER NOT NULL,
  -- The earliest created_at of its rows. They are in the order of seq, and a row may be stored some minutes late.
  first_at  TEXT NOT NULL,
  -- The latest created_at of its rows and of all rows before: it rises with last_seq.
  last_at   TEXT NOT NULL,
  rows      INTEGER NOT NULL,
  -- Of the text, not compressed.
  bytes     INTEGER NOT NULL,
  sha256    TEXT NOT NULL
) STRICT;

-- When a key made the last of its archived requests. Not in api_keys, where a change is a change of settings.
CREATE TABLE archived_key_uses (
  api_key_id   TEXT PRIMARY KEY,
  last_used_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Live partners have different names.
CREATE UNIQUE INDEX partners_name ON partners (name) WHERE deleted_at IS NULL;

-- Counts the live keys, whose number is bounded, and finds those that expire soon.
CREATE INDEX api_keys_live ON api_keys (expires_at) WHERE revoked_at IS NULL;
-- Finds out whether the tenant has a key with near reads. No other key writes a row here.
CREATE INDEX api_keys_near ON api_keys (id) WHERE reads = 'near';

-- The list of active products, and of inactive ones, for which only these pay.
CREATE INDEX products_active ON products (seq) WHERE is_active = 1;
CREATE INDEX products_inactive ON products (seq) WHERE is_active = 0;
-- The feed of changes. Each index of this name also holds seq, the rowid: records that one request changed are in the
-- order of seq.
CREATE INDEX products_changed ON products (changed_place);

CREATE INDEX locations_active ON locations (seq) WHERE is_active = 1;
CREATE INDEX locations_inactive ON locations (seq) WHERE is_active = 0;
CREATE INDEX locations_changed ON locations (changed_place);
-- Search by the beginning of a name. NOCASE folds A to Z only, and src/engine/json/search/ adds both cases of other letters.
-- Among records of the same name the newest is first. Search finds identifiers along their unique indexes.
CREATE INDEX locations_name ON locations (name COLLATE NOCASE, seq DESC) WHERE name IS NOT NULL;
CREATE INDEX locations_zone ON locations (zone COLLATE NOCASE, seq DESC) WHERE zone IS NOT NULL;
CREATE INDEX locations_aisle ON locations (aisle COLLATE NOCASE, seq DESC) WHERE aisle IS NOT NULL;

-- Stock at a location, and of a SKU. Each also holds seq, the rowid, by which the pages are read.
CREATE INDEX inventory_location_code ON inventory (location_code);
CREATE INDEX inventory_sku_code ON inventory (sku_code);

-- Lists of orders with filters are in the order of created_at and then of seq, so that created_from and created_to are a
-- range of each index. A range of created_at alone is merged along orders_status.
CREATE INDEX orders_status ON orders (status, created_at, created_seq);
CREATE INDEX orders_partner ON orders (partner_id, created_at, created_seq) WHERE partner_id IS NOT NULL;
CREATE INDEX orders_external ON orders (external_order_id, created_at, created_seq)
  WHERE external_order_id IS NOT NULL;
-- The same lists for a key with own_orders_only. Without these a page would read the orders of all partners.
CREATE INDEX orders_partner_status ON orders (partner_id, status, created_at, created_seq)
  WHERE partner_id IS NOT NULL;
CREATE INDEX orders_partner_external ON orders (partner_id, external_order_id, created_at, created_seq)
  WHERE partner_id IS NOT NULL AND external_order_id IS NOT NULL;
-- Search by the name of the customer.
CREATE INDEX orders_customer_name ON orders (customer_name COLLATE NOCASE, created_seq DESC)
  WHERE customer_name IS NOT NULL;
CREATE INDEX orders_changed ON orders (changed_place);

-- The feed merges the slices of stock with the records of the other resources, and the history of stock walks along them.
CREATE INDEX replaced_values_of_stock ON replaced_values (changed_place, position) WHERE resource = 'inventory';

-- The requests of a caller in the order of time. It keeps a request from being stored twice, and it leads to a request by
-- its id, which tells when the request came (src/engine/db/log-look-ups.ts).
CREATE UNIQUE INDEX audit_log_caller ON audit_log (caller, created_at, request_id);
-- The same for ids that tell no time. No request of a client writes a row here.
CREATE UNIQUE INDEX audit_log_untimed ON audit_log (request_id) WHERE substr(request_id, 15, 1) <> '7';
-- The requests about a record.
CREATE INDEX audit_log_record ON audit_log (record_name, created_at) WHERE record_name IS NOT NULL;
-- The repetitions of a request, and the requests for the records of one document. No other request of a partner writes a row here.
CREATE INDEX audit_log_replay ON audit_log (replay_of) WHERE replay_of IS NOT NULL;

-- The archives that may hold a time, and those that are past the retention.
CREATE INDEX audit_archives_time ON audit_archives (last_at);

-- The status of a shipped or cancelled order is final. A statement that sets another one is refused with its batch.
CREATE TRIGGER orders_status_is_final BEFORE UPDATE OF status ON orders
WHEN old.status IN ('shipped', 'cancelled') AND new.status <> old.status
BEGIN
  SELECT RAISE(ABORT, 'orders_status_is_final');
END;

-- No single change can lock a tenant out: it is refused if it leaves no live key that may write keys. If the changed key
-- did not expire, a key that does not expire must remain. A revoked key may change freely.
CREATE TRIGGER api_keys_keep_settings_access AFTER UPDATE OF scopes, expires_at, revoked_at ON api_keys
WHEN old.revoked_at IS NULL
  AND EXISTS (
    SELECT 1 FROM json_each(old.scopes)
    WHERE value IN ('settings.*', 'settings.write', 'settings.keys.*', 'settings.keys.write'))
  AND NOT EXISTS (
    SELECT 1 FROM api_keys, json_each(api_keys.scopes) AS scope
    WHERE scope.value IN ('settings.*', 'settings.write', 'settings.keys.*', 'settings.keys.write')
      AND api_keys.revoked_at IS NULL
      AND (api_keys.expires_at IS NULL OR (
        old.expires_at IS NOT NULL
        AND api_keys.expires_at > strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))))
BEGIN
  SELECT RAISE(ABORT, 'api_keys_keep_settings_access');
END;

-- No key is linked to a deleted partner, and a key of a deleted partner gets no more time.
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

-- Each change of settings increments settings_version and records whom it concerns in settings_changes. The database does
-- this, so no code can forget it. A new key or partner concerns no caller that exists.
CREATE TRIGGER workspace_changed
AFTER UPDATE OF tenant, name, integration_enabled, audit_retention_days, audit_hot_days, keep_documents, undo_days
ON workspace
BEGIN
  UPDATE workspace SET settings_version = settings_version + 1;
  INSERT INTO settings_changes (subject, settings_version)
    SELECT 'workspace', settings_version FROM workspace
    WHERE (old.tenant, old.integration_enabled) IS NOT (new.tenant, new.integration_enabled)
    ON CONFLICT (subject) DO UPDATE SET settings_version = excluded.settings_version;
  INSERT INTO settings_changes (subject, settings_version)
    SELECT 'without a partner', settings_version FROM workspace
    WHERE old.keep_documents IS NOT new.keep_documents
    ON CONFLICT (subject) DO UPDATE SET settings_version = excluded.settings_version;
END;

-- A restore or a move raises settings_version by more than 1: every cached caller is old, and so is every cursor of the
-- feed.
CREATE TRIGGER workspace_leapt AFTER UPDATE OF settings_version ON workspace
WHEN new.settings_version <> old.settings_version + 1
BEGIN
  INSERT INTO settings_changes (subject, settings_version) VALUES ('workspace', new.settings_version)
    ON CONFLICT (subject) DO UPDATE SET settings_version = excluded.settings_version;
  UPDATE workspace SET changes_epoch = new.settings_version;
END;

CREATE TRIGGER api_keys_added AFTER INSERT ON api_keys
BEGIN
  UPDATE workspace SET settings_version = settings_version + 1;
END;

CREATE TRIGGER api_keys_changed AFTER UPDATE ON api_keys
BEGIN
  UPDATE workspace SET settings_version = settings_version + 1;
  INSERT INTO settings_changes (subject, settings_version)
    SELECT old.id, settings_version FROM workspace WHERE true
    ON CONFLICT (subject) DO UPDATE SET settings_version = excluded.settings_version;
END;

-- No code deletes a key or a partner, but the SQL of an operator may.
CREATE TRIGGER api_keys_removed AFTER DELETE ON api_keys
BEGIN
  UPDATE workspace SET settings_version = settings_version + 1;
  INSERT INTO settings_changes (subject, settings_version)
    SELECT old.id, settings_version FROM workspace WHERE true
    ON CONFLICT (subject) DO UPDATE SET settings_version = excluded.settings_version;
END;

-- If a tenant has a key with near reads, the response to each write of any key says after which state of the database a
-- read sees it. So such a key concerns every caller.
CREATE TRIGGER api_keys_added_near AFTER INSERT ON api_keys WHEN new.reads = 'near'
BEGIN
  UPDATE workspace SET settings_version = settings_version + 1;
  INSERT INTO settings_changes (subject, settings_version)
    SELECT 'workspace', settings_version FROM workspace WHERE true
    ON CONFLICT (subject) DO UPDATE SET settings_version = excluded.settings_version;
END;

CREATE TRIGGER api_keys_became_near AFTER UPDATE OF reads ON api_keys
WHEN new.reads = 'near' AND old.reads <> 'near'
BEGIN
  UPDATE workspace SET settings_version = settings_version + 1;
  INSERT INTO settings_changes (subject, settings_version)
    SELECT 'workspace', settings_version FROM workspace WHERE true
    ON CONFLICT (subject) DO UPDATE SET settings_version = excluded.settings_version;
END;

CREATE TRIGGER partners_added AFTER INSERT ON partners
BEGIN
  UPDATE workspace SET settings_version = settings_version + 1;
END;

CREATE TRIGGER partners_changed AFTER UPDATE ON partners
BEGIN
  UPDATE workspace SET settings_version = settings_version + 1;
  INSERT INTO settings_changes (subject, settings_version)
    SELECT old.id, settings_version FROM workspace WHERE true
    ON CONFLICT (subject) DO UPDATE SET settings_version = excluded.settings_version;
END;

CREATE TRIGGER partners_removed AFTER DELETE ON partners
BEGIN
  UPDATE workspace SET settings_version = settings_version + 1;
  INSERT INTO settings_changes (subject, settings_version)
    SELECT old.id, settings_version FROM workspace WHERE true
    ON CONFLICT (subject) DO UPDATE SET settings_version = excluded.settings_version;
END;

CREATE TRIGGER field_mappings_added AFTER INSERT ON field_mappings
BEGIN
  UPDATE workspace SET settings_version = settings_version + 1;
  INSERT INTO settings_changes (subject, settings_version)
    SELECT new.partner_id, settings_version FROM workspace WHERE true
    ON CONFLICT (subject) DO UPDATE SET settings_version = excluded.settings_version;
END;

CREATE TRIGGER field_mappings_changed AFTER UPDATE ON field_mappings
BEGIN
  UPDATE workspace SET settings_version = settings_version + 1;
  INSERT INTO settings_changes (subject, settings_version)
    SELECT partner_id, settings_version
    FROM workspace, (SELECT old.partner_id AS partner_id UNION SELECT new.partner_id) WHERE true
    ON CONFLICT (subject) DO UPDATE SET settings_version = excluded.settings_version;
END;

CREATE TRIGGER field_mappings_removed AFTER DELETE ON field_mappings
BEGIN
  UPDATE workspace SET settings_version = settings_version + 1;
  INSERT INTO settings_changes (subject, settings_version)
    SELECT old.partner_id, settings_version FROM workspace WHERE true
    ON CONFLICT (subject) DO UPDATE SET settings_version = excluded.settings_version;
END;

-- Each change of a record is in the feed of changes and counts a version. Statements of the API set changed_in and version
-- themselves and pay nothing here. A statement of an operator does not: it gets the place of the newest audit row.
-- Stock has no such triggers, because they would take a tenth of the time of each upload.
CREATE TRIGGER products_added_silently AFTER INSERT ON products
WHEN new.changed_in = 0 AND EXISTS (SELECT 1 FROM audit_log)
BEGIN
  UPDATE products SET changed_in = (SELECT max(seq) FROM audit_log), changed_by = (
    SELECT request_id FROM audit_log WHERE seq = (SELECT max(seq) FROM audit_log) AND record_id = new.id)
  WHERE seq = new.seq;
END;

CREATE TRIGGER products_changed_silently AFTER UPDATE ON products WHEN new.changed_in = old.changed_in
BEGIN
  UPDATE products SET version = version + (new.version = old.version),
    changed_in = coalesce((SELECT max(seq) FROM audit_log), 0), changed_by = (
      SELECT request_id FROM audit_log WHERE seq = (SELECT max(seq) FROM audit_log) AND record_id = new.id)
  WHERE seq = new.seq;
END;

CREATE TRIGGER locations_added_silently AFTER INSERT ON locations
WHEN new.changed_in = 0 AND EXISTS (SELECT 1 FROM audit_log)
BEGIN
  UPDATE locations SET changed_in = (SELECT max(seq) FROM audit_log), changed_by = (
    SELECT request_id FROM audit_log WHERE seq = (SELECT max(seq) FROM audit_log) AND record_id = new.id)
  WHERE seq = new.seq;
END;

CREATE TRIGGER locations_changed_silently AFTER UPDATE ON locations WHEN new.changed_in = old.changed_in
BEGIN
  UPDATE locations SET version = version + (new.version = old.version),
    changed_in = coalesce((SELECT max(seq) FROM audit_log), 0), changed_by = (
      SELECT request_id FROM audit_log WHERE seq = (SELECT max(seq) FROM audit_log) AND record_id = new.id)
  WHERE seq = new.seq;
END;

CREATE TRIGGER orders_added_silently AFTER INSERT ON orders
WHEN new.changed_in = 0 AND EXISTS (SELECT 1 FROM audit_log)
BEGIN
  UPDATE orders SET changed_in = (SELECT max(seq) FROM audit_log), changed_by = (
    SELECT request_id FROM audit_log WHERE seq = (SELECT max(seq) FROM audit_log) AND record_id = new.id)
  WHERE seq = new.seq;
END;

CREATE TRIGGER orders_changed_silently AFTER UPDATE ON orders WHEN new.changed_in = old.changed_in
BEGIN
  UPDATE orders SET version = version + (new.version = old.version),
    changed_in = coalesce((SELECT max(seq) FROM audit_log), 0), changed_by = (
      SELECT request_id FROM audit_log WHERE seq = (SELECT max(seq) FROM audit_log) AND record_id = new.id)
  WHERE seq = new.seq;
END;

-- The daily cron deletes slices, the oldest first. The feed finds no stock changes before them any more. It does not need
-- slices that only say what conditions found (position 2000).
CREATE TRIGGER replaced_values_of_stock_ended AFTER DELETE ON replaced_values
WHEN old.resource = 'inventory' AND old.position <> 2000
  AND old.changed_in > (SELECT stock_listed_after FROM workspace)
BEGIN
  UPDATE workspace SET stock_listed_after = old.changed_in;
END;
