import { app } from './app.ts'
import { deliveryDriver } from './deliveries/driver.ts'
import { runDailyJobs } from './engine/cron/run.ts'
import type { Bindings } from './engine/env.ts'
import { RateLimiter } from './engine/limits/rate-limiter.ts'
import { dailyJobs } from './engine/log/daily-jobs.ts'
import { partnerCheckUps } from './requests/check-up/daily.ts'

export { RateLimiter }

/** As in wrangler.toml. Check-ups have invocations of their own, so that they use up nothing that deletions need. */
const CHECK_UPS = '2-59/10 * * * *'

/** Applies the waiting deliveries of a tenant. */
export class DeliveryDriver extends deliveryDriver((...request) => app.fetch(...request)) {}

export default {
  fetch: app.fetch,
  async scheduled({ cron, scheduledTime }, env) {
    const plan =
      cron === CHECK_UPS
        ? { turns: 'check-ups:1', jobs: [partnerCheckUps] }
        : { turns: 'turns:1', jobs: dailyJobs(env) }
    await runDailyJobs(env, plan, scheduledTime)
  },
} satisfies ExportedHandler<Bindings>
