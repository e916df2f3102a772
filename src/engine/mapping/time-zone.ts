import { DAY_MS } from '../json/date-time.ts'
import { RuleError } from './rule-error.ts'

/** A local time that its zone has twice, or not at all. */
export type Doubt = 'twice' | 'never' | null

export class TimeZone {
  readonly name: string
  readonly #clock: Intl.DateTimeFormat

  constructor(name: string) {
    this.name = name
    this.#clock = new Intl.DateTimeFormat('en-US', {
      timeZone: name,
      calendar: 'gregory',
      numberingSystem: 'latn',
      hourCycle: 'h23',
      era: 'short',
      ...{ year: 'numeric', month: 'numeric', day: 'numeric' },
      ...{ hour: 'numeric', minute: 'numeric', second: 'numeric' },
    })
  }

  /**
   * The moment of a local time, given as if it were UTC. Of a time that the zone has twice, the first of the two; one that it
   * does not have takes the offset before the change.
   */
  momentOf(local: number): { moment: number; doubt: Doubt } {
    const before = this.#offsetAt(local - DAY_MS)
    const after = this.#offsetAt(local + DAY_MS)
    const [early, late] = [local - before, local - after]
    if (before === after) return { moment: early, doubt: null }
    const isEarly = this.#offsetAt(early) === before
    const isLate = this.#offsetAt(late) === after
    if (isEarly && isLate) return { moment: Math.min(early, late), doubt: 'twice' }
    if (isEarly || !isLate) return { moment: early, doubt: isEarly ? null : 'never' }
    return { moment: late, doubt: null }
  }

  /** In milliseconds: what local clocks are ahead of UTC. */
  #offsetAt(moment: number): number {
    const parts = this.#clock.formatToParts(moment)
    const part = (type: string) => parts.find((one) => one.type === type)?.value ?? ''
    const number = (type: string) => Number(part(type))
    const year = part('era') === 'BC' ? 1 - number('year') : number('year')
    const local = new Date(0)
    local.setUTCFullYear(year, number('month') - 1, number('day'))
    local.setUTCHours(number('hour'), number('minute'), number('second'))
    return local.getTime() - Math.floor(moment / 1000) * 1000
  }
}

/** Reads an IANA zone. Throws RuleError. */
export function readTimeZone(name: unknown): TimeZone {
  // Offsets and abbreviations, which Intl may take, say nothing of summer time.
  const isName =
    typeof name === 'string' &&
    (/^[A-Z][A-Za-z_]+(?:\/[A-Za-z0-9_+-]+)+$/.test(name) || name === 'UTC')
  try {
    if (isName) return new TimeZone(name)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
  }
  throw new RuleError('"zone" must be a zone of the IANA list, such as "Europe/Berlin".')
}
