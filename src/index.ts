import { app } from './app.ts'
import { deliveryDriver } from './deliveries/driver.ts'
import { runDailyJobs } from './engine/cron/run.ts'
import type { Bindings } from './engine/env.ts'
import { RateLimiter } from './engine/limits/rate-limiter.ts'
import { dailyJobs } from './engine/log/daily-jobs.ts'

export { RateLimiter }

/** Applies the waiting deliveries of a tenant. */
export class DeliveryDriver extends deliveryDriver((...request) => app.fetch(...request)) {}

export default {
  fetch: app.fetch,
  async scheduled({ scheduledTime }, env) {
    await runDailyJobs(env, dailyJobs(env), scheduledTime)
  },
} satisfies ExportedHandler<Bindings>
