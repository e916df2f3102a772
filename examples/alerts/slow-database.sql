-- A call of a tenant's database took more than half a second on average, over 15 minutes.
-- run: every 5 minutes
-- fires: on each row
-- do: look at the database in Cloudflare's dashboard: its size, its queries, whether D1 reports an incident
SELECT
  blob2 AS tenant,
  SUM(double5 * _sample_interval) AS calls,
  SUM(double4 * _sample_interval) / SUM(double5 * _sample_interval) AS ms_each
FROM crossdock_production
WHERE timestamp > NOW() - INTERVAL '15' MINUTE AND blob1 = 'request' AND double5 > 0
GROUP BY tenant
HAVING calls >= 20 AND ms_each > 500
