-- Nearly as many deliveries of a tenant or of one webhook wait as may, or some were refused: senders get 503.
-- run: every 5 minutes
-- fires: on each row
-- do: tell the warehouse to mend what they wait for, or to dismiss them: GET /api/settings/v1/deliveries/
SELECT
  blob2 AS tenant,
  MAX(double16) AS share,
  SUM(if(blob10 = 'DELIVERIES_FULL', _sample_interval, 0)) AS refused
FROM crossdock_production
WHERE timestamp > NOW() - INTERVAL '15' MINUTE AND (blob1 = 'deliveries' OR blob10 = 'DELIVERIES_FULL')
GROUP BY tenant
HAVING share > 0.8 OR refused > 0
