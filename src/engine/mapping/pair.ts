import type { JsonObject } from '../json/json-object.ts'
import type { Path } from '../json/path.ts'
import { SentValue } from '../json/sent-with.ts'
import { RuleError } from './rule-error.ts'
import { sourcePath } from './source-path.ts'

/** What stands before a value of a joined text: `colour: `. */
export interface PairLabel {
  path: Path
  separator: string
}

/** In characters. */
export const SEPARATOR_LENGTH_MAX = 20

/** Reads a part of `join` that is a pair. Throws RuleError. */
export function readPair(part: JsonObject): { path: Path; label: PairLabel } {
  const { pair, with: separator = ': ', ...others } = part
  const [odd] = Object.keys(others)
  if (odd !== undefined) throw new RuleError(`A "pair" cannot have "${odd}": it has only "with".`)
  if (!Array.isArray(pair) || pair.length !== 2 || pair.some((path) => typeof path !== 'string')) {
    throw new RuleError('"pair" must be two paths: that of the label and that of the value.')
  }
  const [label, path] = pair.map((text) => sourcePath(text, { isList: true })) as [Path, Path]
  if ([label, path].some(([first]) => first instanceof SentValue)) {
    throw new RuleError(
      'A "pair" reads the document: headers and parameters are parts of their own.',
    )
  }
  return { path, label: { path: label, separator: readSeparator(separator) } }
}

/** What stands between texts. Throws RuleError. */
export function readSeparator(separator: unknown, member = 'with'): string {
  if (typeof separator === 'string' && [...separator].length <= SEPARATOR_LENGTH_MAX) {
    return separator
  }
  throw new RuleError(`"${member}" must be a text of at most ${SEPARATOR_LENGTH_MAX} characters.`)
}

/** The text of a pair: without a label its value alone, without a value nothing. */
export function pairText(label: string | undefined, text: string, separator: string): string {
  return label === undefined ? text : `${label}${separator}${text}`
}
