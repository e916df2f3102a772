import type { Client } from '../client.ts'
import type { Thing } from '../journal.ts'
import type { Random } from '../random.ts'
import { API, changedRecord, newRecord, settled } from './writes.ts'

/** Creates and changes products and locations. */
export class RecordsWorker {
  readonly #records: Thing[] = []
  #turn = 0

  async step(client: Client, random: Random): Promise<unknown> {
    this.#turn += 1
    const record = random.pick(settled(this.#records))
    const draw = random.next()
    if (record && draw < 0.4) return await client.write(record, changedRecord(record, this.#turn))
    if (draw < 0.6) return await client.read(`${API}/products/?limit=50`)
    const { journal } = client
    const kind = draw < 0.8 ? 'product' : 'location'
    const thing = journal.newThing(kind, journal.newName(`NEW-${kind}`))
    this.#records.push(thing)
    return await client.write(thing, newRecord(thing, this.#turn))
  }
}
