/** A row of one pair. */
export interface RowStep {
  /** The row's index in the upload's well-formed rows. */
  row: number
  quantity: number
  /** What must be stored; null for no record, undefined for whatever is. */
  if_quantity?: number | null | undefined
}

/**
 * What becomes of a pair: its quantity, how many of its rows fail, and which is the first of these. A quantity of
 * null means that all rows fail.
 */
type Outcome = [quantity: number | null, failed: number, firstFailed: number | null]

/**
 * The outcomes of a pair's rows, in order, by what is stored before: under `q7` for 7, `qnone` for no record, and
 * `else` for anything else. So SQL decides by one look-up, however many rows the pair has.
 *
 * Up to the first row that has an effect the quantity is what was stored, and afterwards it is known: the row that
 * has an effect next is the first one that has no condition or this quantity as its condition.
 */
export function outcomesOf(steps: RowStep[]): Record<string, Outcome> {
  const from = outcomesFrom(steps)
  const outcomes: Record<string, Outcome> = {}
  for (const [at, { row, if_quantity }] of steps.entries()) {
    const name = if_quantity === undefined ? 'else' : nameOf(if_quantity)
    const [quantity, failed, next] = from[at] as Outcome
    const first = at === 0 ? next : (steps[0]?.row ?? row)
    outcomes[name] ??= [quantity, at + failed, first]
    if (if_quantity === undefined) break
  }
  outcomes.else ??= [null, steps.length, steps[0]?.row ?? 0]
  return outcomes
}

/** The outcomes if the step is the first one that has an effect; only steps behind it count as failed. */
function outcomesFrom(steps: RowStep[]): Outcome[] {
  const outcomes: Outcome[] = []
  const conditional = new Map<number | null, number>()
  let unconditional = Number.POSITIVE_INFINITY
  for (let at = steps.length - 1; at >= 0; at--) {
    const { quantity, if_quantity } = steps[at] as RowStep
    const next = Math.min(unconditional, conditional.get(quantity) ?? Number.POSITIVE_INFINITY)
    const behind = outcomes[next]
    const between = Math.min(next, steps.length) - at - 1
    const first = between > 0 ? (steps[at + 1]?.row ?? null) : (behind?.[2] ?? null)
    outcomes[at] = [behind ? behind[0] : quantity, between + (behind?.[1] ?? 0), first]
    if (if_quantity === undefined) unconditional = at
    else conditional.set(if_quantity, at)
  }
  return outcomes
}

function nameOf(stored: number | null): string {
  return `q${stored ?? 'none'}`
}

/** The rows of a pair that fail if this is stored before, each with its message. */
export function mismatches(steps: RowStep[], stored: number | null) {
  const failed: { row: number; message: string }[] = []
  let found = stored
  for (const { row, quantity, if_quantity } of steps) {
    if (if_quantity === undefined || if_quantity === found) found = quantity
    else failed.push({ row, message: mismatch(found, if_quantity, quantity) })
  }
  return failed
}

function mismatch(found: number | null, expected: number | null, quantity: number): string {
  if (found === null) return `There is no record, not ${expected}.`
  const isAsked = found === quantity ? `; ${found} is what this row asks for` : ''
  return expected === null
    ? `Is ${found}: there is a record${isAsked}.`
    : `Is ${found}, not ${expected}${isAsked}.`
}
