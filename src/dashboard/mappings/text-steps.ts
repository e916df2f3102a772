import type { SavedTextStep } from '../../engine/mapping/saved-rule.ts'
import { readQuoted } from './cell.ts'

/** The steps of a text, one a line: `trim`, `after "/"`, `without "K-", "-EU"`, `strict part 2 of "-"`. */
export function writeTextSteps(steps: SavedTextStep[]): string {
  return steps.map(writeStep).join('\n')
}

function writeStep(step: SavedTextStep): string {
  if (step === 'trim') return step
  const { strict, ...rest } = step
  const [[name = '', argument] = []] = Object.entries(rest)
  const words =
    'part' in step
      ? `part ${step.part} of ${JSON.stringify(step.of)}`
      : `${name} ${[argument]
          .flat()
          .map((mark) => JSON.stringify(mark))
          .join(', ')}`
  return strict ? `strict ${words}` : words
}

const LINE =
  /^(strict +)?(?:(after|before|after_last|before_last|without) +(.+)|part +(-?\d+) +of +(.+))$/s

/** Reads what `writeTextSteps` wrote. Marks may stand without quotes. */
export function readTextLines(text: string): { steps: SavedTextStep[] } | { fault: string } {
  const lines = text.split('\n').map((line) => line.trim())
  const steps: SavedTextStep[] = []
  for (const [index, line] of lines.entries()) {
    if (line === '') continue
    const step = readLine(line)
    if (!step) {
      return {
        fault: `Line ${index + 1} of the parts of the text must be like: trim, after "/", before_last "-", without "K-", "-EU", or part 2 of "-".`,
      }
    }
    steps.push(step)
  }
  return { steps }
}

function readLine(line: string): SavedTextStep | null {
  if (line === 'trim') return line
  const [, strictly, name, marks = '', part, of = ''] = LINE.exec(line) ?? []
  const strict = strictly === undefined ? {} : { strict: true }
  if (part !== undefined) return { part: Number(part), of: readMark(of), ...strict }
  if (name === 'without') return { without: readMarks(marks), ...strict }
  if (name === undefined) return null
  return { [name]: readMark(marks), ...strict } as SavedTextStep
}

const MARKS = /"(?:[^"\\]|\\.)*"|[^",\s][^,]*/g

function readMarks(text: string): string[] {
  return (text.match(MARKS) ?? []).map(readMark)
}

function readMark(text: string): string {
  return readQuoted(text.trim()) ?? text.trim()
}
