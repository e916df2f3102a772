import { app } from './app.ts'
import type { Bindings } from './env.ts'
import { RateLimiter } from './rate-limiter.ts'
import { deleteExpiredAuditRows } from './retention.ts'

export { RateLimiter }

export default {
  fetch: app.fetch,
  scheduled: ({ scheduledTime }, env) => deleteExpiredAuditRows(env, scheduledTime),
} satisfies ExportedHandler<Bindings>
