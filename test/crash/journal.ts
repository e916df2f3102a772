export type Kind = 'order' | 'product' | 'location' | 'partner' | 'api_key' | 'stock'

/** The fields of a record that the test compares, with the values that the database should have. */
export type State = Record<string, unknown>

/** A record, or the rows of an upload. Only one client writes it, one request after the other. */
export interface Thing {
  kind: Kind
  /** Order number, SKU, code or name. */
  key: string
  /** For stock: every SKU at every location. */
  pairs?: { locations: string[]; skus: string[] }
  id: string | null
  /** The expected state; null if the thing must not exist. */
  state: State | null
  /** A write whose effect is unknown. No client writes the thing again until it is known. */
  doubt: Write | null
}

export interface Intent {
  method: 'POST' | 'PUT' | 'DELETE'
  path: string
  body: object
  /** The expected status. With a 4xx the write must change nothing. */
  expected: number
  /** The thing's state after the write. */
  wanted: State | null
  upload?: { notes: string; total: number; created: number; failed: number }
}

export interface Write extends Intent {
  thing: Thing
  round: number
  /** Null if no answer came. */
  status: number | null
  /** Null if no answer came; if the write took effect anyway, the id from its audit row. */
  requestId: string | null
  /** Whether the write took effect; null until the database was checked. */
  landed: boolean | null
}

/** What was sent and what was answered. The database must match it. */
export class Journal {
  readonly things: Thing[] = []
  readonly writes: Write[] = []
  /** The number of answers by status; `none` counts requests without an answer. */
  readonly answers: Record<string, number> = {}
  /** Request ids of answered reads. */
  readonly reads = new Set<string>()
  /** Wrong answers, in words. */
  readonly problems: string[] = []
  round = 0
  #names = 0

  newThing(kind: Kind, key: string, pairs?: Thing['pairs']): Thing {
    const thing = { kind, key, id: null, state: null, doubt: null, ...(pairs && { pairs }) }
    this.things.push(thing)
    return thing
  }

  /** A name that is used only once in the run. */
  newName(prefix: string): string {
    this.#names += 1
    return `${prefix}-${String(this.#names).padStart(6, '0')}`
  }

  begin(thing: Thing, intent: Intent): Write {
    const unanswered = { status: null, requestId: null, landed: null }
    const write: Write = { ...intent, ...unanswered, thing, round: this.round }
    this.writes.push(write)
    return write
  }

  /** Records the answer to a write, or null if none came. */
  settle(write: Write, answer: { status: number; requestId: string | null } | null): void {
    this.countAnswer(answer?.status ?? null)
    const { thing } = write
    write.status = answer?.status ?? null
    // The Worker must never answer 500. Wrangler may, and its answers have no request id.
    const isOurs = answer?.status === 500 && answer.requestId !== null
    if (isOurs) this.#note(write, answer.requestId)
    if (answer === null || answer.status >= 500) {
      thing.doubt = write
      return
    }
    write.requestId = answer.requestId
    write.landed = answer.status < 400
    if (write.landed) thing.state = write.wanted
    if (answer.status !== write.expected) this.#note(write, answer.requestId)
  }

  #note({ method, path, thing, status, expected }: Write, requestId: string | null): void {
    const what = `${method} ${path} (${thing.kind} ${thing.key})`
    this.problems.push(`${what} was answered ${status}, not ${expected}; request ${requestId}`)
  }

  /** The writes whose effect is unknown. */
  doubts(): Write[] {
    return this.things.flatMap(({ doubt }) => doubt ?? [])
  }

  landed(): number {
    return this.writes.filter(({ landed }) => landed).length
  }

  counts(): { requests: number; answered: number } {
    const requests = Object.values(this.answers).reduce((sum, count) => sum + count, 0)
    return { requests, answered: requests - (this.answers.none ?? 0) }
  }

  countAnswer(status: number | null): void {
    const name = status === null ? 'none' : String(status)
    this.answers[name] = (this.answers[name] ?? 0) + 1
  }
}
