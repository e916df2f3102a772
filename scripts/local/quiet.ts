// With these wrangler shows only errors, and sends nothing anywhere.
const QUIET = {
  CLOUDFLARE_CF_FETCH_ENABLED: 'false',
  WRANGLER_HIDE_BANNER: 'true',
  WRANGLER_LOG: 'error',
  WRANGLER_SEND_METRICS: 'false',
}

/** Sets these for every program started from here. Variables that are already set keep their value. */
export function keepWranglerQuiet(): void {
  Object.assign(process.env, { ...QUIET, ...process.env })
}
