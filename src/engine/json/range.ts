import { notTogether } from '../errors.ts'
import type { Warning } from './warnings.ts'

/** 400 VALIDATION_ERROR for a range of instants that ends before it begins. `names` are those of its two ends. */
export function refuseReversed(
  { from, to }: { from?: string | undefined; to?: string | undefined },
  names = ['from', 'to'],
): void {
  const isReversed = from !== undefined && to !== undefined && to < from
  if (isReversed) throw notTogether(names, `${names[1]} is before ${names[0]}.`)
}

/** The warning that a range begins in the future: whoever asks for it may mean another year or another zone. */
export function futureStart(field: string, start: string | undefined): Warning[] {
  if (start === undefined || Date.parse(start) <= Date.now()) return []
  return [{ field, message: 'Lies in the future: nothing can match.' }]
}
