-- A tenant had requests on two days, but no run of the cron has come to it for 26 hours: that of its group may have stopped.
-- run: every day
-- fires: on each row
-- do: look which group has the tenants, and at the cron triggers of its Worker; one that was moved to it waits for a day at most
SELECT
  blob2 AS tenant,
  SUM(if(blob1 = 'request' AND timestamp > NOW() - INTERVAL '26' HOUR, 1, 0)) AS requests,
  SUM(if(blob1 = 'request' AND timestamp <= NOW() - INTERVAL '26' HOUR, 1, 0)) AS earlier,
  SUM(if(blob1 = 'tenant_retention' AND timestamp > NOW() - INTERVAL '26' HOUR, 1, 0)) AS turns,
  MAX(_sample_interval) AS sampled
FROM crossdock_production
WHERE timestamp > NOW() - INTERVAL '52' HOUR AND blob2 != '-'
GROUP BY tenant
HAVING requests > 0 AND earlier > 0 AND turns = 0 AND sampled = 1
