import { setTimeout as sleep } from 'node:timers/promises'
import type { Intent, Journal, Thing } from './journal.ts'
import type { Access } from './server.ts'

const PAUSE_AFTER_FAILURE_MS = 50

/** Sends requests and records them and their answers in the journal. */
export class Client {
  readonly journal: Journal
  readonly #access: Access
  readonly #life: AbortSignal
  #stopped = false

  constructor(access: Access, journal: Journal, life: AbortSignal) {
    this.journal = journal
    this.#access = access
    this.#life = life
  }

  /** Whether to send no further requests. */
  get stopped(): boolean {
    return this.#stopped || this.#life.aborted
  }

  stop(): void {
    this.#stopped = true
  }

  /** Sends a write. True if it certainly took effect. */
  async write(thing: Thing, intent: Intent): Promise<boolean> {
    const write = this.journal.begin(thing, intent)
    const response = await this.#send(intent.method, intent.path, JSON.stringify(intent.body))
    const requestId = response?.headers.get('X-Request-Id') ?? null
    this.journal.settle(write, response && { status: response.status, requestId })
    // The status decides. A body that is cut off changes nothing.
    const body = await response?.text().catch(() => '')
    if (write.landed && thing.id === null) thing.id = idOf(body)
    if (write.landed === null) await sleep(PAUSE_AFTER_FAILURE_MS)
    return write.landed === true
  }

  async read(path: string): Promise<void> {
    const response = await this.#send('GET', path)
    this.journal.countAnswer(response?.status ?? null)
    const requestId = response?.headers.get('X-Request-Id')
    if (requestId) this.journal.reads.add(requestId)
    await response?.arrayBuffer().catch(() => null)
    if (!response) await sleep(PAUSE_AFTER_FAILURE_MS)
  }

  /** Null if no answer came. */
  async #send(method: string, path: string, body?: string): Promise<Response | null> {
    const { origin, key, settingsKey } = this.#access
    const headers = {
      'X-API-Key': path.startsWith('settings/') ? settingsKey : key,
      'Content-Type': 'application/json',
    }
    const init = { method, headers, signal: this.#life, ...(body && { body }) }
    return await fetch(`${origin}/api/${path}`, init).catch(() => null)
  }
}

function idOf(body: string | undefined): string | null {
  try {
    return JSON.parse(body ?? '').data.id ?? null
  } catch {
    return null
  }
}
