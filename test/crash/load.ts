import { setTimeout as sleep } from 'node:timers/promises'
import { Failure } from '../../scripts/failure.ts'
import type { Client } from './client.ts'
import type { Journal, Thing } from './journal.ts'
import { OrderWorker } from './load/orders.ts'
import { RecordsWorker } from './load/records.ts'
import { SettingsWorker } from './load/settings.ts'
import { StockWorker } from './load/stock.ts'
import { newRecord } from './load/writes.ts'
import type { Random } from './random.ts'

/** One of the workers that send requests at the same time. Each sends one request after the other. */
export interface Worker {
  step: (client: Client, random: Random) => Promise<unknown>
}

const SKUS = 300
// The numbers of locations of the three stock workers, whose uploads have 50, 300 and 3,000 rows.
const LOCATIONS = [1, 6, 60]
const SETUP_CLIENTS = 6
const GRACE_MS = 2000

/** Creates products and locations, then runs the workers. One load serves all kills of a run. */
export class Load {
  readonly #workers: Worker[] = []

  async setUp(client: Client): Promise<void> {
    const { journal } = client
    const products = things(journal, 'product', 'CRASH', SKUS)
    const locations = LOCATIONS.map((count, n) => things(journal, 'location', `CR${n}`, count))
    const waiting = [...products, ...locations.flat()]
    const settingUp = Array.from({ length: SETUP_CLIENTS }, async () => {
      for (let thing = waiting.pop(); thing && !client.stopped; thing = waiting.pop()) {
        await client.write(thing, newRecord(thing, 0))
      }
    })
    await Promise.all(settingUp)
    if (journal.things.some(({ state }) => state === null)) {
      throw new Failure(
        `The products and locations of the load could not be created. ${journal.problems.join(' ')}`,
      )
    }
    const skus = products.map(({ key }) => key)
    const codes = locations.map((some) => some.map(({ key }) => key))
    this.#workers.push(
      ...[1, 2, 3].map((n) => new OrderWorker(`ORD${n}`, skus)),
      ...codes.map((some) => new StockWorker(some, skus)),
      new RecordsWorker(),
      new SettingsWorker(),
    )
  }

  /** Runs all workers until the client is stopped. Open requests then get a short grace period. */
  async run(client: Client, random: Random, cutOff: AbortController): Promise<void> {
    const working = this.#workers.map(async (worker, n) => {
      const own = random.fork(String(n))
      while (!client.stopped) await worker.step(client, own)
    })
    const stopped = (async () => {
      while (!client.stopped) await sleep(10)
      await sleep(GRACE_MS)
    })()
    const done = Promise.all(working)
    await Promise.race([done, stopped])
    cutOff.abort()
    await done
  }
}

function things(journal: Journal, kind: Thing['kind'], prefix: string, count: number): Thing[] {
  return Array.from({ length: count }, () => journal.newThing(kind, journal.newName(prefix)))
}
