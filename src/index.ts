import { app } from './app.ts'
import { runDailyJobs } from './audit/daily/run.ts'
import { dailyJobs } from './audit/daily-jobs.ts'
import type { Bindings } from './env.ts'
import { RateLimiter } from './limits/rate-limiter.ts'

export { RateLimiter }

export default {
  fetch: app.fetch,
  async scheduled({ scheduledTime }, env) {
    await runDailyJobs(env, dailyJobs(env), scheduledTime)
  },
} satisfies ExportedHandler<Bindings>
