import type { SavedSteps } from '../../engine/mapping/saved-rule.ts'
import { readCell, writeCell } from './cell.ts'

type SavedAmount = Pick<SavedSteps, 'less' | 'times' | 'at_zero'>

const LEAVE_OUT = 'leave out at zero'
const LINE = /^(less|times) +(.+)$/s
const INTEGER = /^\d+$/

/** What a rule makes of an integer, one a line: `less lines[].canceled`, `times 12`, `leave out at zero`. */
export function writeAmount({ less, times, at_zero }: SavedAmount): string {
  return [
    ...(less ?? []).map((path) => `less ${writeCell(path)}`),
    ...(times === undefined
      ? []
      : [`times ${typeof times === 'number' ? times : writeTimes(times)}`]),
    ...(at_zero === undefined ? [] : [LEAVE_OUT]),
  ].join('\n')
}

/** Digits alone are a factor, so a path of digits stands in quotes. */
function writeTimes(path: string): string {
  return INTEGER.test(path) ? `$${JSON.stringify(path)}` : writeCell(path)
}

/** Reads what `writeAmount` wrote. */
export function readAmountLines(text: string): { amount: SavedAmount } | { fault: string } {
  const less: string[] = []
  const amount: SavedAmount = {}
  for (const [index, line] of text.split('\n').entries()) {
    const [, name, rest = ''] = LINE.exec(line.trim()) ?? []
    if (name === 'less') less.push(readCell(rest))
    else if (name === 'times') amount.times = INTEGER.test(rest) ? Number(rest) : readCell(rest)
    else if (line.trim() === LEAVE_OUT) amount.at_zero = 'leave_out'
    else if (line.trim() !== '') return { fault: faultAt(index) }
  }
  return { amount: { ...(less.length > 0 && { less }), ...amount } }
}

function faultAt(index: number): string {
  return `Line ${index + 1} of the amount must be like: less lines[].canceled, times 12, times lines[].pack, or leave out at zero.`
}
