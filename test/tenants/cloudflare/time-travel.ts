import type { Account } from './account.ts'
import { type Call, type Endpoint, endpoint, Misunderstood, Refusal, success } from './call.ts'
import { databaseOf } from './d1.ts'
import type { Runtime, Snapshot } from './runtime.ts'

interface Moment {
  bookmark: string
  /** In ms since 1970. */
  at: number
  snapshot: Snapshot
}

const DATABASE = '/accounts/:account/d1/database/:database'

/**
 * What databases held at moments. The real one keeps every moment of 30 days; this one those that a test or an
 * asked bookmark has marked.
 */
export class History {
  readonly #runtime: Runtime
  readonly #moments = new Map<string, Moment[]>()

  constructor(runtime: Runtime) {
    this.#runtime = runtime
  }

  /** Keeps what the database holds now. */
  async mark(uuid: string): Promise<Moment> {
    const bookmark = await this.#runtime.bookmark(uuid)
    const moment = { bookmark, at: Date.now(), snapshot: await this.#runtime.snapshot(uuid) }
    this.#moments.set(uuid, [...(this.#moments.get(uuid) ?? []), moment])
    return moment
  }

  /** The last moment that was marked by then. */
  at(uuid: string, time: number): Moment {
    const moment = this.#moments.get(uuid)?.findLast(({ at }) => at <= time)
    if (moment) return moment
    throw new Misunderstood(`no moment was marked by ${new Date(time).toISOString()}`)
  }

  async restore(uuid: string, bookmark: string): Promise<{ previous: string }> {
    const moment = this.#moments.get(uuid)?.findLast((known) => known.bookmark === bookmark)
    if (!moment) throw new Refusal(400, 7500, 'Invalid bookmark')
    const { bookmark: previous } = await this.mark(uuid)
    await this.#runtime.restore(uuid, moment.snapshot)
    return { previous }
  }
}

/** Bookmarks, of now and of a time, and the way back to them. */
export function timeTravelEndpoints(account: Account, history: History): Endpoint[] {
  return [
    endpoint('d1.bookmark', 'GET', `${DATABASE}/time_travel/bookmark`, async (call) => {
      const { uuid } = databaseOf(account, call)
      const time = timeIn(call)
      const { bookmark } = time === null ? await history.mark(uuid) : history.at(uuid, time)
      return success({ bookmark })
    }),
    endpoint('d1.restore', 'POST', `${DATABASE}/time_travel/restore`, async (call) => {
      const { uuid } = databaseOf(account, call)
      const bookmark = call.query.get('bookmark')
      if (bookmark === null || call.query.size !== 1) throw new Misunderstood('one bookmark')
      const { previous } = await history.restore(uuid, bookmark)
      const message = `Restored to ${bookmark}`
      return success({ bookmark, previous_bookmark: previous, message })
    }),
  ]
}

function timeIn({ query }: Call): number | null {
  const text = query.get('timestamp')
  if (text === null) return null
  const time = Date.parse(text)
  if (Number.isNaN(time) || query.size !== 1) throw new Misunderstood(`the time ${text}`)
  return time
}
