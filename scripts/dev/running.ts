import { readDemo } from './demo.ts'

const REQUEST_MS_MAX = 5000

/**
 * The origin of the server that `npm start` runs from this folder, or null. The server must accept the saved
 * settings key.
 */
export async function runningServer(): Promise<string | null> {
  const { base_url, settings_key } = await readDemo()
  if (!base_url || !settings_key) return null
  const answer = await fetch(`${base_url}/api/settings/v1/workspace/`, {
    headers: { 'X-API-Key': settings_key },
    signal: AbortSignal.timeout(REQUEST_MS_MAX),
  }).catch(() => null)
  return answer?.ok ? base_url : null
}
