import { app } from './app.ts'
import type { Bindings } from './env.ts'
import { deleteExpiredAuditRows } from './retention.ts'

export default {
  fetch: app.fetch,
  scheduled: ({ scheduledTime }, env) => deleteExpiredAuditRows(env, scheduledTime),
} satisfies ExportedHandler<Bindings>
