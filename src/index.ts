import { app } from './app.ts'
import { deleteExpiredDocuments } from './audit/documents/retention.ts'
import { deleteExpiredAuditRows } from './audit/retention.ts'
import type { Bindings } from './env.ts'
import { RateLimiter } from './limits/rate-limiter.ts'

export { RateLimiter }

export default {
  fetch: app.fetch,
  async scheduled({ scheduledTime }, env) {
    await deleteExpiredAuditRows(env, scheduledTime)
    await deleteExpiredDocuments(env, scheduledTime)
  },
} satisfies ExportedHandler<Bindings>
