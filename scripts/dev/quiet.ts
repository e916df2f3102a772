// Wrangler reads these: only errors are shown, and nothing is fetched or sent anywhere.
const QUIET = {
  CLOUDFLARE_CF_FETCH_ENABLED: 'false',
  WRANGLER_HIDE_BANNER: 'true',
  WRANGLER_LOG: 'error',
  WRANGLER_SEND_METRICS: 'false',
}

/** Keeps the wrangler of every program that is started from here quiet; what is set stays as it is. */
export function keepWranglerQuiet(): void {
  Object.assign(process.env, { ...QUIET, ...process.env })
}
