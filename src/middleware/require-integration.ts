import { createMiddleware } from 'hono/factory'
import type { AppEnv } from '../engine/env.ts'
import { ApiError } from '../engine/errors.ts'
import type { Caller } from '../engine/identity/caller.ts'
import { inForce } from '../engine/model/pause.ts'

const RETRY_WITHOUT_END_SECONDS = 300
// Somebody may end the pause early, so no sender waits longer.
const RETRY_SECONDS_MAX = 3600

/** The workspace's off-switch, and pauses. They close the integrations API, but not the settings. */
export const requireIntegration = createMiddleware<AppEnv>(
  async function requireIntegration(c, next) {
    refuseClosed(c.get('caller'))
    await next()
  },
)

/** 403 WORKSPACE_DISABLED, or 503 UNAVAILABLE while a pause is in force. The one that ends last counts. */
export function refuseClosed({ integration_enabled, pauses }: Caller): void {
  if (!integration_enabled) {
    throw new ApiError(
      'WORKSPACE_DISABLED',
      'The integration is switched off in this workspace: switch it on in the settings.',
    )
  }
  const ends = Object.values(pauses).flatMap((pause) => {
    const found = inForce(pause)
    return found ? [found.until === null ? Number.POSITIVE_INFINITY : Date.parse(found.until)] : []
  })
  if (ends.length > 0) throw paused(Math.max(...ends))
}

function paused(end: number): ApiError {
  const hasEnd = Number.isFinite(end)
  const until = hasEnd ? new Date(end).toISOString() : null
  const seconds = Math.ceil((end - Date.now()) / 1000)
  return new ApiError(
    'UNAVAILABLE',
    `The warehouse has paused this integration${until ? ` until ${until}` : ''}. Nothing was changed: send the request again later.`,
    {
      reason: 'PAUSED',
      ...(until && { until }),
      retryAfter: hasEnd
        ? Math.min(Math.max(seconds, 1), RETRY_SECONDS_MAX)
        : RETRY_WITHOUT_END_SECONDS,
    },
  )
}
