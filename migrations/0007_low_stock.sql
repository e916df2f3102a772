-- Stock of at most this quantity is low. It concerns no caller.
ALTER TABLE workspace ADD COLUMN low_stock_quantity INTEGER NOT NULL DEFAULT 10
  CHECK (low_stock_quantity BETWEEN 1 AND 100);

-- As before, with low_stock_quantity.
DROP TRIGGER workspace_changed;
CREATE TRIGGER workspace_changed
AFTER UPDATE OF tenant, name, integration_enabled, audit_retention_days, audit_hot_days, keep_documents, undo_days, pause,
  waiting_days, low_stock_quantity
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
AFTER UPDATE OF name, integration_enabled, audit_retention_days, audit_hot_days, undo_days, keep_documents, pause, waiting_days,
  low_stock_quantity
ON workspace
BEGIN
  INSERT INTO settings_history_inbox (kind, record_id, resource, name, old_version, version, before, after)
  SELECT 'workspace', new.tenant, NULL, new.name, old.version, new.version,
    json_object('name', old.name, 'integration_enabled', json(iif(old.integration_enabled, 'true', 'false')),
      'audit_retention_days', old.audit_retention_days,
      'audit_hot_days', old.audit_hot_days, 'undo_days', old.undo_days, 'waiting_days', old.waiting_days,
      'low_stock_quantity', old.low_stock_quantity,
      'keep_documents', json(old.keep_documents), 'pause', json(old.pause)),
    json_object('name', new.name, 'integration_enabled', json(iif(new.integration_enabled, 'true', 'false')),
      'audit_retention_days', new.audit_retention_days,
      'audit_hot_days', new.audit_hot_days, 'undo_days', new.undo_days, 'waiting_days', new.waiting_days,
      'low_stock_quantity', new.low_stock_quantity,
      'keep_documents', json(new.keep_documents), 'pause', json(new.pause));
END;

-- The list of low stock, in the order of the quantity and then of seq, the rowid. Stock above costs nothing.
CREATE INDEX inventory_low ON inventory (quantity) WHERE quantity <= 100;
