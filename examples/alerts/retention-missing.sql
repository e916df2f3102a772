-- No run of the cron, which comes every ten minutes, has ended for an hour.
-- run: every hour
-- fires: when there is no row
-- do: look at the cron triggers of the Worker in Cloudflare's dashboard, and at the invocation's outcome
SELECT
  blob8 AS retention,
  SUM(_sample_interval) AS runs
FROM crossdock_production
WHERE timestamp > NOW() - INTERVAL '1' HOUR AND blob1 = 'retention' AND blob8 = 'audit'
GROUP BY retention
