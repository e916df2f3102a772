-- Of the requests of a tenant in 10 minutes more than 1 in 100 ended with 500 or 503. A pause of the warehouse is no failure.
-- run: every 5 minutes
-- fires: on each row
-- do: look at the status page of Cloudflare, then for the events internal_error, audit_row_not_stored and stream_broken
SELECT
  blob2 AS tenant,
  SUM(_sample_interval) AS requests,
  SUM(if(double1 >= 500 AND blob10 <> 'PAUSED', _sample_interval, 0)) AS failed
FROM crossdock_production
WHERE timestamp > NOW() - INTERVAL '10' MINUTE AND blob1 = 'request'
GROUP BY tenant
HAVING requests >= 20 AND failed > requests * 0.01
