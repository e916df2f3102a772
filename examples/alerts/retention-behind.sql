-- A tenant's audit rows should have been deleted two days ago, or the run has failed for the tenant.
-- run: every day
-- fires: on each row
-- do: look for the event audit_retention; let the cron run more often if tenants stay unfinished
SELECT
  blob2 AS tenant,
  blob9 AS state,
  MAX(double13) / 86400000 AS days
FROM crossdock_production
WHERE timestamp > NOW() - INTERVAL '26' HOUR AND blob1 = 'tenant_retention' AND blob9 != 'done'
GROUP BY tenant, state
HAVING days > 2 OR state = 'failed'
