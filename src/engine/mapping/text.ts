import { isObject, type JsonObject } from '../json/json-object.ts'
import { RuleError } from './rule-error.ts'

/** Takes a part of a text. */
export interface TextStep {
  /** Undefined if the step is strict and the text does not have what it looks for. */
  take: (text: string) => string | undefined
  /** How many characters it looks at for each one of the text, at worst. */
  weight: number
}

export const TEXT_STEPS_MAX = 8
/** Of a mark: the text that a step looks for. In characters. */
export const MARK_LENGTH_MAX = 100
/** Most texts of one `without`. */
export const MARKS_MAX = 20
/** Of `part`, from the beginning or the end. */
export const PART_MAX = 100

/** Each gives a part of the text. */
const CUTS = {
  after: (text: string, mark: string) => text.slice(text.indexOf(mark) + mark.length),
  before: (text: string, mark: string) => text.slice(0, text.indexOf(mark)),
  after_last: (text: string, mark: string) => text.slice(text.lastIndexOf(mark) + mark.length),
  before_last: (text: string, mark: string) => text.slice(0, text.lastIndexOf(mark)),
}
// V8 skips ahead in `indexOf`, but `lastIndexOf` compares the mark at each place. Both are asked whether the mark is there.
const FORWARDS = 2
const backwards = (mark: string) => 1 + mark.length
type Cut = keyof typeof CUTS
const CUT_NAMES = Object.keys(CUTS) as Cut[]
const STEP_NAMES = [...CUT_NAMES, 'without', 'part'] as const

/** Reads `text` of a rule. Throws RuleError. */
export function readTextSteps(saved: unknown): TextStep[] {
  if (!Array.isArray(saved) || saved.length === 0) {
    throw new RuleError('"text" must be a list of steps, such as ["trim", {"after": "/"}].')
  }
  if (saved.length > TEXT_STEPS_MAX) {
    throw new RuleError(`"text" must have at most ${TEXT_STEPS_MAX} steps.`)
  }
  return saved.map(readStep)
}

/** How many characters all steps look at in a text of this length, at worst. */
export function charactersRead(length: number, steps: readonly TextStep[]): number {
  return steps.reduce((sum, { weight }) => sum + weight * length, 0)
}

/** The text after all steps. Undefined if a strict one does not find what it looks for. */
export function cutText(text: string, steps: readonly TextStep[]): string | undefined {
  let rest: string | undefined = text
  for (const step of steps) {
    if (rest !== undefined) rest = step.take(rest)
  }
  return rest
}

function readStep(saved: unknown): TextStep {
  if (saved === 'trim') return { take: (text) => text.trim(), weight: 1 }
  const [name, other] = isObject(saved) ? STEP_NAMES.filter((one) => Object.hasOwn(saved, one)) : []
  if (!isObject(saved) || name === undefined || other !== undefined) {
    throw new RuleError(
      `A step of "text" is "trim" or an object with one of ${STEP_NAMES.join(', ')}.`,
    )
  }
  checkMembers(saved, name)
  const isStrict = saved.strict === true
  if (name === 'without') return withoutStep(saved.without, isStrict)
  return name === 'part' ? partStep(saved, isStrict) : cutStep(name, saved[name], isStrict)
}

function checkMembers(saved: JsonObject, name: (typeof STEP_NAMES)[number]): void {
  const allowed = [name, 'strict', ...(name === 'part' ? ['of'] : [])]
  const odd = Object.keys(saved).find((member) => !allowed.includes(member))
  if (odd !== undefined) throw new RuleError(`The step "${name}" cannot have "${odd}".`)
  if (typeof (saved.strict ?? false) !== 'boolean') {
    throw new RuleError(`"strict" of the step "${name}" must be true or false.`)
  }
}

function cutStep(name: Cut, saved: unknown, isStrict: boolean): TextStep {
  const mark = markOf(saved, name)
  const cut = CUTS[name]
  return {
    take: (text) => (text.includes(mark) ? cut(text, mark) : asItIs(text, isStrict)),
    weight: name === 'after' || name === 'before' ? FORWARDS : backwards(mark),
  }
}

/** Takes each of the texts off the beginning once, and off the end once. */
function withoutStep(saved: unknown, isStrict: boolean): TextStep {
  if (!Array.isArray(saved) || saved.length === 0 || saved.length > MARKS_MAX) {
    throw new RuleError(`"without" must be a list of 1 to ${MARKS_MAX} texts.`)
  }
  const marks = saved.map((mark) => markOf(mark, 'without'))
  const take = (text: string) => {
    let rest = text
    for (const mark of marks) {
      if (rest.startsWith(mark)) rest = rest.slice(mark.length)
      if (rest.endsWith(mark)) rest = rest.slice(0, -mark.length)
    }
    return rest.length === text.length ? asItIs(text, isStrict) : rest
  }
  return { take, weight: 1 }
}

function partStep({ part, of }: JsonObject, isStrict: boolean): TextStep {
  const isNumber = typeof part === 'number' && Number.isInteger(part) && part !== 0
  if (!isNumber || Math.abs(part) > PART_MAX) {
    throw new RuleError(
      `"part" must be an integer from 1 to ${PART_MAX}, or from -1 to -${PART_MAX} to count from the end.`,
    )
  }
  const mark = markOf(of, 'of')
  return {
    take: (text) => (text.includes(mark) ? partOf(text, part, mark) : asItIs(text, isStrict)),
    weight: part > 0 ? FORWARDS : backwards(mark),
  }
}

/** Undefined if there are fewer parts. Looks at no more of the text than leads to the part. */
function partOf(text: string, part: number, mark: string): string | undefined {
  if (part < 0) {
    let end = text.length
    for (let from = -1; from > part; from--) {
      end = end < mark.length ? -1 : text.lastIndexOf(mark, end - mark.length)
      if (end === -1) return undefined
    }
    const before = end < mark.length ? -1 : text.lastIndexOf(mark, end - mark.length)
    return text.slice(before === -1 ? 0 : before + mark.length, end)
  }
  let start = 0
  for (let from = 1; from < part; from++) {
    const at = text.indexOf(mark, start)
    if (at === -1) return undefined
    start = at + mark.length
  }
  const end = text.indexOf(mark, start)
  return text.slice(start, end === -1 ? text.length : end)
}

function markOf(saved: unknown, member: string): string {
  const isMark = typeof saved === 'string' && saved !== '' && [...saved].length <= MARK_LENGTH_MAX
  if (isMark) return saved
  throw new RuleError(`"${member}" must be a text of 1 to ${MARK_LENGTH_MAX} characters.`)
}

function asItIs(text: string, isStrict: boolean): string | undefined {
  return isStrict ? undefined : text
}
