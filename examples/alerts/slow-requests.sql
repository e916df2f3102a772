-- Of the requests of a tenant in 15 minutes more than 1 in 20 took longer than 2 seconds.
-- run: every 5 minutes
-- fires: on each row
-- do: compare waited and database: one is too many requests at once, the other a busy database or a distant one
SELECT
  blob2 AS tenant,
  SUM(_sample_interval) AS requests,
  SUM(if(double2 > 2000, _sample_interval, 0)) AS slow,
  SUM(double3 * _sample_interval) / SUM(_sample_interval) AS waited,
  SUM(double4 * _sample_interval) / SUM(_sample_interval) AS database
FROM crossdock_production
WHERE timestamp > NOW() - INTERVAL '15' MINUTE AND blob1 = 'request'
GROUP BY tenant
HAVING requests >= 20 AND slow > requests * 0.05
