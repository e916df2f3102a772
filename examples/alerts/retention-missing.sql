-- The daily run that deletes audit rows has not ended for 26 hours.
-- run: every day
-- fires: when there is no row
-- do: look at the cron triggers of the Worker in Cloudflare's dashboard, and at the invocation's outcome
SELECT
  blob8 AS retention,
  SUM(_sample_interval) AS runs
FROM crossdock_production
WHERE timestamp > NOW() - INTERVAL '26' HOUR AND blob1 = 'retention' AND blob8 = 'audit'
GROUP BY retention
