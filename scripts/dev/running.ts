import { readDemo } from './demo.ts'

const REQUEST_MS_MAX = 5000

/** Origin of the server that `npm start` runs from this folder: one that knows the key it has saved. */
export async function runningServer(): Promise<string | null> {
  const { base_url, settings_key } = await readDemo()
  if (!base_url || !settings_key) return null
  const answer = await fetch(`${base_url}/api/settings/v1/workspace/`, {
    headers: { 'X-API-Key': settings_key },
    signal: AbortSignal.timeout(REQUEST_MS_MAX),
  }).catch(() => null)
  return answer?.ok ? base_url : null
}
