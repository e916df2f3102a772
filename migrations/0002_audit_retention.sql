-- The audit log does not grow for ever: a daily cron deletes its rows past audit_retention_days
-- (src/audit/retention.ts). Nothing refers to them, so nothing goes with them.

-- In days of 24 hours, up to ten years.
ALTER TABLE workspace ADD COLUMN audit_retention_days INTEGER NOT NULL DEFAULT 365
  CHECK (audit_retention_days BETWEEN 1 AND 3650);

-- A change of it is a change of settings like any other. A trigger's columns cannot be added to.
DROP TRIGGER workspace_changed;

CREATE TRIGGER workspace_changed
AFTER UPDATE OF tenant, name, integration_enabled, audit_retention_days ON workspace
BEGIN UPDATE workspace SET settings_version = settings_version + 1; END;
