import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '../client.ts'
import type { Intent, Thing } from '../journal.ts'
import type { Random } from '../random.ts'
import { SETTINGS, settled } from './writes.ts'

// Settings change rarely: most of the load is orders and stock.
const PAUSE_MS = 100

/** An administrator: creates partners and keys, and changes the scopes of keys. */
export class SettingsWorker {
  readonly #keys: Thing[] = []
  #turn = 0

  async step(client: Client, random: Random): Promise<unknown> {
    await sleep(PAUSE_MS)
    this.#turn += 1
    const key = random.pick(settled(this.#keys).filter(({ id }) => id !== null))
    const draw = random.next()
    if (key && draw < 0.3) return await client.write(key, changedKey(key, this.#turn))
    if (draw < 0.4) return await client.read(`${SETTINGS}/api-keys/?limit=50`)
    const kind = draw < 0.7 ? 'api_key' : 'partner'
    const thing = client.journal.newThing(kind, client.journal.newName(`Crash ${kind}`))
    if (kind === 'api_key') this.#keys.push(thing)
    return await client.write(thing, kind === 'api_key' ? newKey(thing) : newPartner(thing))
  }
}

function newKey({ key }: Thing): Intent {
  const state = { scopes: ['integrations.orders.read'], rate_limit: null }
  const body = { name: key, ...state }
  return { method: 'POST', path: `${SETTINGS}/api-keys/`, body, expected: 201, wanted: state }
}

function changedKey({ id }: Thing, turn: number): Intent {
  const state = { scopes: ['integrations.*'], rate_limit: turn }
  const path = `${SETTINGS}/api-keys/${id}/`
  return { method: 'PUT', path, body: state, expected: 200, wanted: state }
}

function newPartner({ key }: Thing): Intent {
  const path = `${SETTINGS}/partners/`
  return { method: 'POST', path, body: { name: key }, expected: 201, wanted: { name: key } }
}
