import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { pass } from '../../fixtures/clock.ts'
import type { Fault } from '../../fixtures/fault.ts'
import { faultyBindings } from '../../fixtures/harness.ts'
import { type Answer, dispatch } from '../../fixtures/tenant.ts'
import { type Clock, HOUR } from './clock.ts'

/** Crossdock, as shops see it, with faults of its database that `draw` gives for each delivery and each alarm. */
export class Receiver {
  /** What was answered, in time or not. */
  readonly answers: Answer[] = []
  /** Sent, pings included. */
  sent = 0
  alarms = 0
  faults = 0
  draw: () => Fault[] = () => []
  #left: Promise<unknown>[] = []

  /** The status; null if the shop stops waiting first. */
  readonly send = async (request: Request, msMax: number): Promise<number | null> => {
    this.sent += 1
    const { bindings, hits, drained } = faultyBindings(this.draw())
    const asked = dispatch(request, { bindings })
    this.#left.push(
      asked.then(async ({ answer, afterwards }) => {
        this.answers.push(answer)
        await afterwards()
        await drained()
        this.faults += hits.length
      }),
    )
    return await Promise.race([
      asked.then(({ answer }) => answer.status),
      pass(msMax).then(() => null),
    ])
  }

  /** Runs the alarms of the tenant's object that are due by then. */
  async runAlarms(until: number): Promise<void> {
    await runInDurableObject(env.DELIVERIES.getByName('demo'), async (driver, { storage }) => {
      for (
        let at = await storage.getAlarm();
        at !== null && at <= until;
        at = await storage.getAlarm()
      ) {
        const { bindings, hits, drained } = faultyBindings(this.draw())
        Object.assign(driver, { env: bindings })
        // As the platform does: an alarm that runs is none any more.
        await storage.deleteAlarm()
        await driver.alarm()
        this.alarms += 1
        await drained()
        this.faults += hits.length
      }
    })
  }

  /** Runs alarm after alarm, without faults, until only rare ones are left: nothing is due, and nothing comes by itself. */
  async settle(clock: Clock): Promise<void> {
    await this.rest()
    this.draw = () => []
    for (let next = await alarmAt(); next !== null; next = await alarmAt()) {
      if (next - clock.now > RARE_MS) return
      clock.jumpTo(next)
      await this.runAlarms(next)
    }
  }

  /** When nothing is under way any more. */
  async rest(): Promise<void> {
    while (this.#left.length > 0) await Promise.all(this.#left.splice(0))
  }
}

const RARE_MS = HOUR

async function alarmAt(): Promise<number | null> {
  const driver = env.DELIVERIES.getByName('demo')
  return await runInDurableObject(driver, (_, { storage }) => storage.getAlarm())
}
