-- A request met a fault of Crossdock itself.
-- run: every 5 minutes
-- fires: on each row
-- do: look for the event internal_error: its frames show the place, its request_id is the one that the caller has
SELECT
  blob2 AS tenant,
  blob3 AS version,
  SUM(_sample_interval) AS failed
FROM crossdock_production
WHERE timestamp > NOW() - INTERVAL '10' MINUTE AND blob1 = 'request' AND blob6 = 'INTERNAL_ERROR'
GROUP BY tenant, version
