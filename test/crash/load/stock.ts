import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '../client.ts'
import type { Intent, Thing } from '../journal.ts'
import type { Random } from '../random.ts'
import { API, settled } from './writes.ts'

const PATH = `${API}/inventory/`
const SKUS_EACH = 50
// All other requests wait while thousands of rows are written.
const PAUSE_MS = 50

/**
 * An ERP: each upload sets one quantity, greater than the last, for all SKUs of a range at all its locations. So rows
 * with different quantities show that an upload was applied in part.
 */
export class StockWorker {
  readonly #locations: string[]
  readonly #ranges: string[][]
  readonly #stocks: Thing[] = []
  #quantity = 0

  constructor(locations: string[], skus: string[]) {
    this.#locations = locations
    this.#ranges = Array.from({ length: Math.floor(skus.length / SKUS_EACH) }, (_, n) =>
      skus.slice(n * SKUS_EACH, (n + 1) * SKUS_EACH),
    )
  }

  async step(client: Client, random: Random): Promise<unknown> {
    await sleep(PAUSE_MS)
    const stocks = this.#stocks.filter(({ doubt }) => doubt === null)
    const read = settled(stocks).length > 0 && random.chance(0.2)
    if (read) return await client.read(`${PATH}${random.pick(this.#locations)}/`)
    const range = this.#ranges[this.#stocks.length]
    const fresh = range && (stocks.length === 0 || random.chance(0.1))
    const stock = fresh ? this.#newStock(client, range) : random.pick(stocks)
    // The effect of all uploads is unknown: nothing can be written until the next start.
    if (!stock) return await client.read(`${PATH}?limit=10`)
    return await client.write(stock, this.#upload(stock, client.journal.newName('upload')))
  }

  #newStock(client: Client, skus: string[]): Thing {
    const locations = this.#locations
    const key = `${locations[0]} to ${locations.at(-1)}, ${skus[0]} to ${skus.at(-1)}`
    const thing = client.journal.newThing('stock', key, { locations, skus })
    this.#stocks.push(thing)
    return thing
  }

  #upload({ pairs, state }: Thing, notes: string): Intent {
    this.#quantity += 1
    const quantity = this.#quantity
    const { locations, skus } = pairs ?? { locations: [], skus: [] }
    const rows = locations.flatMap((location_code) =>
      skus.map((sku_code) => ({ location_code, sku_code, quantity })),
    )
    // A failed row must not affect the others.
    const wrong = { location_code: 'CRASH-none', sku_code: skus[0], quantity }
    const failed = quantity % 3 === 0 ? [wrong] : []
    return {
      method: 'POST',
      path: PATH,
      body: { source: 'erp_sync', notes, inventory: [...failed, ...rows] },
      expected: 200,
      wanted: { rows: rows.length, quantities: [quantity] },
      upload: {
        notes,
        total: rows.length + failed.length,
        created: state === null ? rows.length : 0,
        failed: failed.length,
      },
    }
  }
}
