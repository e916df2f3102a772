-- No run has finished with a tenant for 26 hours: its rows are overdue by two days, or runs failed or did not reach it.
-- run: every day
-- fires: on each row
-- do: look for the event audit_retention: failures says why; what stays unfinished or not_reached has its turn in the next runs
SELECT
  blob2 AS tenant,
  SUM(if(blob9 = 'done', _sample_interval, 0)) AS done,
  SUM(if(blob9 = 'failed', _sample_interval, 0)) AS failed,
  SUM(if(blob9 = 'not_reached', _sample_interval, 0)) AS not_reached,
  MAX(double13) / 86400000 AS days
FROM crossdock_production
WHERE timestamp > NOW() - INTERVAL '26' HOUR AND blob1 = 'tenant_retention' AND blob8 = 'audit'
GROUP BY tenant
HAVING done = 0 AND (days > 2 OR failed > 0 OR not_reached > 0)
