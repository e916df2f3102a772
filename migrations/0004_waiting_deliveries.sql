-- Deliveries that could not be applied and were kept. The sender was answered 200, so each of them is applied later by
-- itself, or ends with a reason in the audit log. The unit is the record: a whole delivery, or a row of an upload that
-- lacks a product or a location.
CREATE TABLE waiting_deliveries (
  -- The order of arrival.
  seq          INTEGER PRIMARY KEY AUTOINCREMENT,
  -- The id of the request that brought it. Of a row, a dot and its position follow.
  delivery_id  TEXT NOT NULL UNIQUE,
  -- The number of the row. NULL: the whole delivery waits.
  position     INTEGER,
  -- The seq of the audit row of that request.
  log_seq      INTEGER NOT NULL,
  -- The webhook. No code deletes keys.
  api_key_id   TEXT NOT NULL,
  partner_id   TEXT NOT NULL,
  resource     TEXT NOT NULL CHECK (resource IN ('orders', 'products', 'locations', 'inventory')),
  -- The value of the field by which settings address records, of a row location and SKU as JSON, and the name by which people know the record. NULL: not
  -- known, because the document could not be mapped.
  identifier   TEXT,
  record_name  TEXT,
  -- How new the document is, as in delivered_changes. NULL: not known.
  changed_at   TEXT,
  sender_event TEXT,
  sender_id    TEXT,
  -- JSON: the headers and the parameters of the query that the mapping can read. NULL: none.
  sent_with    TEXT CHECK (json_valid(sent_with)),
  content_type TEXT,
  -- What has to be there before it is tried again. product_code, location_code: an item code of the partner. person:
  -- nothing but a person can help.
  needs        TEXT NOT NULL CHECK (needs IN (
    'product', 'location', 'product_code', 'location_code', 'settings', 'switch', 'time', 'person')),
  -- The SKU or code of what is missing.
  needs_code   TEXT,
  -- 1: what it needs is there. Triggers below set it.
  is_due       INTEGER NOT NULL DEFAULT 0 CHECK (is_due IN (0, 1)),
  -- When it is tried whatever it needs. NULL: never.
  due_at       TEXT,
  tries        INTEGER NOT NULL DEFAULT 0,
  error_code   TEXT NOT NULL,
  message      TEXT NOT NULL,
  created_at   TEXT NOT NULL,
  -- It ends then, applied or not.
  ends_at      TEXT NOT NULL,
  bytes        INTEGER NOT NULL,
  -- The body as sent, or, of a row, an upload of this row in our own words. It is last, so that lists do not read through it.
  body         TEXT NOT NULL
) STRICT;

-- What is to be tried now, the oldest first.
CREATE INDEX waiting_deliveries_due ON waiting_deliveries (seq) WHERE is_due = 1;
CREATE INDEX waiting_deliveries_due_at ON waiting_deliveries (due_at) WHERE due_at IS NOT NULL;
-- Those that a new product or location frees, or a change of settings. The groups by what they need read nothing else.
CREATE INDEX waiting_deliveries_needs ON waiting_deliveries (needs, needs_code, partner_id, resource);
-- Those that a newer document of the same record makes pointless.
CREATE INDEX waiting_deliveries_record ON waiting_deliveries (partner_id, resource, identifier)
  WHERE identifier IS NOT NULL;
-- Those that have waited for too long.
CREATE INDEX waiting_deliveries_end ON waiting_deliveries (ends_at);
-- Rows of a pair: a newer one takes the place of an older one, whoever sent it.
CREATE INDEX waiting_deliveries_pair ON waiting_deliveries (identifier)
  WHERE resource = 'inventory' AND position IS NOT NULL;
-- Those of a webhook.
CREATE INDEX waiting_deliveries_webhook ON waiting_deliveries (api_key_id, seq);

-- How many records wait and how many bytes they have, in the tenant and of each webhook. One webhook has at most half.
CREATE TABLE waiting_totals (
  -- The id of a webhook, or the word all.
  subject TEXT PRIMARY KEY,
  records INTEGER NOT NULL,
  bytes   INTEGER NOT NULL,
  CONSTRAINT waiting_totals_have_room CHECK (
    records <= iif(subject = 'all', 10000, 5000) AND bytes <= iif(subject = 'all', 100000000, 50000000))
) STRICT, WITHOUT ROWID;

CREATE TRIGGER waiting_deliveries_counted AFTER INSERT ON waiting_deliveries
BEGIN
  INSERT INTO waiting_totals (subject, records, bytes)
    SELECT subject, 1, new.bytes FROM (SELECT 'all' AS subject UNION ALL SELECT new.api_key_id) WHERE true
    ON CONFLICT (subject) DO UPDATE SET records = records + 1, bytes = bytes + excluded.bytes;
END;

CREATE TRIGGER waiting_deliveries_discounted AFTER DELETE ON waiting_deliveries
BEGIN
  UPDATE waiting_totals SET records = records - 1, bytes = bytes - old.bytes
    WHERE subject IN ('all', old.api_key_id);
END;

-- An INSERT into this table ends the waiting of a delivery that is not applied. It stays empty. One statement notes the end in
-- the audit row and deletes the delivery, so that a delivery with nothing to end takes no second one.
CREATE TABLE waiting_deliveries_ends (
  seq     INTEGER NOT NULL,
  log_seq INTEGER NOT NULL,
  outcome TEXT NOT NULL CHECK (outcome IN ('superseded', 'dismissed'))
) STRICT;

-- An upload of which rows wait has another outcome. Its audit row says that some have ended.
CREATE TRIGGER waiting_deliveries_ended BEFORE INSERT ON waiting_deliveries_ends
BEGIN
  UPDATE audit_log SET outcome = iif(outcome = 'waiting', new.outcome, outcome),
    message = iif(outcome = 'waiting' OR instr(message, ' Rows that waited have ended without being applied.'), message,
      coalesce(message, '') || ' Rows that waited have ended without being applied.')
    WHERE seq = new.log_seq;
  DELETE FROM waiting_deliveries WHERE seq = new.seq;
  SELECT RAISE(IGNORE);
END;

-- What waits for the same record and is older than what is applied ends. Of a deletion without a time (form d) the arrival
-- counts, as in 0003. What is newer and lacks a product can be applied now: the order is there, and a change of it needs none.
-- An upsert begins as an INSERT, also where it becomes an UPDATE. The one that 0003 refuses takes this back.
CREATE TRIGGER delivered_changes_settle_waiting BEFORE INSERT ON delivered_changes
BEGIN
  INSERT INTO waiting_deliveries_ends (seq, log_seq, outcome)
    SELECT seq, log_seq, 'superseded' FROM waiting_deliveries
    WHERE partner_id = new.partner_id AND resource = new.resource AND identifier = new.identifier
      AND iif(substr(new.changed_at, 1, 1) = 'd', created_at < substr(new.changed_at, 2),
        substr(changed_at, 1, 1) = substr(new.changed_at, 1, 1) AND changed_at < new.changed_at);
  UPDATE waiting_deliveries SET is_due = 1
    WHERE partner_id = new.partner_id AND resource = new.resource AND identifier = new.identifier
      AND needs IN ('product', 'product_code');
END;

CREATE TRIGGER waiting_deliveries_moved AFTER UPDATE OF api_key_id ON waiting_deliveries
WHEN new.api_key_id <> old.api_key_id
BEGIN
  UPDATE waiting_totals SET records = records - 1, bytes = bytes - old.bytes WHERE subject = old.api_key_id;
  INSERT INTO waiting_totals (subject, records, bytes) VALUES (new.api_key_id, 1, new.bytes)
    ON CONFLICT (subject) DO UPDATE SET records = records + 1, bytes = bytes + excluded.bytes;
END;

-- Whatever meets a need marks what waits for it, in the same transaction. So no wake can be lost.
CREATE TRIGGER products_added_free_deliveries AFTER INSERT ON products
BEGIN
  UPDATE waiting_deliveries SET is_due = 1 WHERE needs = 'product' AND needs_code = new.sku;
END;

CREATE TRIGGER locations_added_free_deliveries AFTER INSERT ON locations
BEGIN
  UPDATE waiting_deliveries SET is_due = 1 WHERE needs = 'location' AND needs_code = new.code;
END;

CREATE TRIGGER field_mappings_added_free_deliveries AFTER INSERT ON field_mappings
BEGIN
  UPDATE waiting_deliveries SET is_due = 1
    WHERE needs = 'settings' AND partner_id = new.partner_id AND resource = new.resource;
END;

CREATE TRIGGER field_mappings_changed_free_deliveries AFTER UPDATE ON field_mappings
BEGIN
  UPDATE waiting_deliveries SET is_due = 1
    WHERE needs = 'settings' AND partner_id = new.partner_id AND resource = new.resource;
END;

CREATE TRIGGER partners_changed_free_deliveries AFTER UPDATE OF default_identifier_field ON partners
BEGIN
  UPDATE waiting_deliveries SET is_due = 1 WHERE needs = 'settings' AND partner_id = new.id;
END;

CREATE TRIGGER webhooks_changed_free_deliveries AFTER UPDATE OF webhook ON api_keys WHEN new.webhook IS NOT NULL
BEGIN
  UPDATE waiting_deliveries SET is_due = 1 WHERE needs = 'settings' AND api_key_id = new.id;
END;

-- The end of a pause, now or later, and the off-switch. What closes the door frees nothing.
CREATE TRIGGER partners_resumed_free_deliveries AFTER UPDATE OF pause ON partners
BEGIN
  UPDATE waiting_deliveries SET is_due = new.pause IS NULL, due_at = json_extract(new.pause, '$.until')
    WHERE needs = 'switch' AND partner_id = new.id;
END;

CREATE TRIGGER webhooks_resumed_free_deliveries AFTER UPDATE OF pause ON api_keys WHEN new.webhook IS NOT NULL
BEGIN
  UPDATE waiting_deliveries SET is_due = new.pause IS NULL, due_at = json_extract(new.pause, '$.until')
    WHERE needs = 'switch' AND api_key_id = new.id;
END;

CREATE TRIGGER workspace_opened_frees_deliveries AFTER UPDATE OF integration_enabled, pause ON workspace
BEGIN
  UPDATE waiting_deliveries SET is_due = new.pause IS NULL AND new.integration_enabled,
    due_at = json_extract(new.pause, '$.until') WHERE needs = 'switch';
END;

-- How many days a delivery waits at most.
ALTER TABLE workspace ADD COLUMN waiting_days INTEGER NOT NULL DEFAULT 30 CHECK (waiting_days BETWEEN 1 AND 90);

-- A changed number of days holds for what waits already.
CREATE TRIGGER workspace_waiting_days_set_ends AFTER UPDATE OF waiting_days ON workspace
WHEN new.waiting_days <> old.waiting_days
BEGIN
  UPDATE waiting_deliveries SET ends_at = strftime('%Y-%m-%dT%H:%M:%fZ', created_at, '+' || new.waiting_days || ' days');
END;

-- As before, with waiting_days, which concerns no caller.
DROP TRIGGER workspace_changed;
CREATE TRIGGER workspace_changed
AFTER UPDATE OF tenant, name, integration_enabled, audit_retention_days, audit_hot_days, keep_documents, undo_days, pause,
  waiting_days
ON workspace
BEGIN
  UPDATE workspace SET settings_version = settings_version + 1;
  INSERT INTO settings_changes (subject, settings_version)
    SELECT 'workspace', settings_version FROM workspace
    WHERE (old.tenant, old.integration_enabled, old.pause) IS NOT (new.tenant, new.integration_enabled, new.pause)
    ON CONFLICT (subject) DO UPDATE SET settings_version = excluded.settings_version;
  INSERT INTO settings_changes (subject, settings_version)
    SELECT 'without a partner', settings_version FROM workspace
    WHERE old.keep_documents IS NOT new.keep_documents
    ON CONFLICT (subject) DO UPDATE SET settings_version = excluded.settings_version;
END;

DROP TRIGGER workspace_changed_remembered;
CREATE TRIGGER workspace_changed_remembered
AFTER UPDATE OF name, integration_enabled, audit_retention_days, audit_hot_days, undo_days, keep_documents, pause, waiting_days
ON workspace
BEGIN
  INSERT INTO settings_history_inbox (kind, record_id, resource, name, old_version, version, before, after)
  SELECT 'workspace', new.tenant, NULL, new.name, old.version, new.version,
    json_object('name', old.name, 'integration_enabled', json(iif(old.integration_enabled, 'true', 'false')),
      'audit_retention_days', old.audit_retention_days,
      'audit_hot_days', old.audit_hot_days, 'undo_days', old.undo_days, 'waiting_days', old.waiting_days,
      'keep_documents', json(old.keep_documents), 'pause', json(old.pause)),
    json_object('name', new.name, 'integration_enabled', json(iif(new.integration_enabled, 'true', 'false')),
      'audit_retention_days', new.audit_retention_days,
      'audit_hot_days', new.audit_hot_days, 'undo_days', new.undo_days, 'waiting_days', new.waiting_days,
      'keep_documents', json(new.keep_documents), 'pause', json(new.pause));
END;
