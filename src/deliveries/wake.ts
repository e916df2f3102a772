import type { Bindings } from '../engine/env.ts'
import { inTime } from '../engine/limits/deadline.ts'

const WAKE_MS_MAX = 5000

/** Lets the tenant's object look for what is to be tried. A wake that fails is made up for by the next one, or the cron. */
export async function wake(
  { DELIVERIES }: Pick<Bindings, 'DELIVERIES'>,
  tenant: string,
): Promise<void> {
  try {
    await inTime(DELIVERIES.getByName(tenant).wake(tenant), WAKE_MS_MAX)
  } catch {
    console.error(JSON.stringify({ event: 'deliveries_not_woken', tenant }))
  }
}
