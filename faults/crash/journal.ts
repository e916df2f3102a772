export type Kind = 'order' | 'product' | 'location' | 'partner' | 'api_key' | 'stock'

/** What the test compares of a record: what it sent, as the database should have it. */
export type State = Record<string, unknown>

/** A record, or an upload's rows, that one client alone writes, one request after the other. */
export interface Thing {
  kind: Kind
  /** Order number, SKU, code or name. */
  key: string
  /** Of stock: every SKU at every location. */
  pairs?: { locations: string[]; skus: string[] }
  id: string | null
  /** As it must be; null where it must not be. */
  state: State | null
  /** A write that may have taken effect or not: nothing more is sent about it until that is known. */
  doubt: Write | null
}

export interface Intent {
  method: 'POST' | 'PUT' | 'DELETE'
  path: string
  body: object
  /** The status that it must get; with a 4xx it must change nothing. */
  expected: number
  /** What the thing is once the write has taken effect. */
  wanted: State | null
  upload?: { notes: string; total: number; created: number; failed: number }
}

export interface Write extends Intent {
  thing: Thing
  round: number
  /** Null where none came. */
  status: number | null
  /** Null where none came; of a write that has landed all the same, its audit row's. */
  requestId: string | null
  /** Whether it took effect; null until the next look at the database. */
  landed: boolean | null
}

/** What was sent and what was answered: the memory of those who were told "201". */
export class Journal {
  readonly things: Thing[] = []
  readonly writes: Write[] = []
  /** By status, of all requests; `none` where no answer came. */
  readonly answers: Record<string, number> = {}
  /** Request ids of reads that were answered. */
  readonly reads = new Set<string>()
  /** Answers that nobody should get. */
  readonly problems: string[] = []
  round = 0
  #names = 0

  newThing(kind: Kind, key: string, pairs?: Thing['pairs']): Thing {
    const thing = { kind, key, id: null, state: null, doubt: null, ...(pairs && { pairs }) }
    this.things.push(thing)
    return thing
  }

  /** One that no other client, and no earlier round, has. */
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

  /** What is known of the write now, with an answer (or null for none). */
  settle(write: Write, answer: { status: number; requestId: string | null } | null): void {
    this.countAnswer(answer?.status ?? null)
    const { thing } = write
    write.status = answer?.status ?? null
    // 500 of the Worker's own, not of wrangler's, is never right.
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

  /** Writes that may have taken effect or not. */
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
