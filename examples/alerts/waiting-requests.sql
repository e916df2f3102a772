-- Requests of a tenant wait for more than 5 seconds until it is their turn. After 30 seconds they get 503.
-- run: every 5 minutes
-- fires: on each row
-- do: ask whose key sends more than 50 requests at once or many large documents, and let it send fewer at a time
SELECT
  blob2 AS tenant,
  SUM(_sample_interval) AS waiting,
  MAX(double3) AS longest_ms
FROM crossdock_production
WHERE timestamp > NOW() - INTERVAL '15' MINUTE AND blob1 = 'request' AND double3 > 5000
GROUP BY tenant
HAVING waiting >= 10
