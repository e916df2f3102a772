import { Refusal } from './call.ts'
import type { RecordedCall } from './record.ts'

export interface OutageOptions {
  /**
   * `before`: nothing is done. `after`: all is done, and nobody hears of it. `late`: the same, but done when the
   * outage ends.
   */
  when: 'before' | 'after' | 'late'
  /**
   * An error 500 as the API words it, a statement that D1 has cut in two, a full database, too many calls, a token without the permission, or
   * the connection cut.
   */
  as?: keyof typeof OUTAGES | 'cut'
  /** How many calls are hit; all of them until it ends, unless said: wrangler repeats some itself. */
  times?: number
  /** Only calls that this is true of; they wait until it is known. */
  where?: (call: RecordedCall) => boolean | Promise<boolean>
}

export interface Outage {
  /** How many calls it has hit. */
  hits: number
  end: () => Promise<void>
}

interface Active extends Required<Omit<OutageOptions, 'where'>>, Outage {
  kind: string
  where: (call: RecordedCall) => boolean | Promise<boolean>
  /** What is yet to be done of the last call that it has hit. */
  late: (() => Promise<unknown>) | null
}

/** Failures that a test has ordered, by the kind of call. */
export class Outages {
  #active: Active[] = []

  start(kind: string, { when, as = 'error', times = Infinity, where }: OutageOptions): Outage {
    const outage: Active = {
      kind,
      when,
      as,
      times,
      where: where ?? (() => true),
      hits: 0,
      late: null,
      end: async () => {
        this.#active = this.#active.filter((other) => other !== outage)
        const { late } = outage
        outage.late = null
        await late?.()
      },
    }
    this.#active.push(outage)
    return outage
  }

  endAll(): void {
    this.#active = []
  }

  /** The failure that this call meets; it counts as a hit. */
  async hit(call: RecordedCall): Promise<Active | undefined> {
    for (const outage of this.#active) {
      if (outage.kind !== call.kind || outage.hits >= outage.times) continue
      if (!(await outage.where(call))) continue
      outage.hits += 1
      return outage
    }
    return undefined
  }
}

/** What is answered in an outage that is not silent. */
export const OUTAGES = {
  error: new Refusal(500, 10013, 'An unknown error has occurred. (ordered by a test)'),
  split: new Refusal(400, 7500, 'incomplete input: SQLITE_ERROR (ordered by a test)'),
  // developers.cloudflare.com/d1/platform/limits/
  full: new Refusal(400, 7500, 'Exceeded maximum DB size (ordered by a test)'),
  // developers.cloudflare.com/fundamentals/api/reference/limits/
  limited: new Refusal(429, 10429, 'Rate limited. (ordered by a test)', { 'retry-after': '1' }),
  blocked: new Refusal(429, 10429, 'Rate limited. (ordered by a test)', { 'retry-after': '300' }),
  forbidden: new Refusal(403, 10000, 'Authentication error'),
}
